"""Users of an export that squashes: root becomes nobody, or everybody does, or everybody is the server's own user."""
import errno
import os
import time

from checking import check, equal, fails, forget, node, opened, read, user, write

NOBODY = 65534
ANNA, BERT = 1001, 1002


def owner(path):
    forget()
    found = os.lstat(path)
    return found.st_uid, found.st_gid


@check(squash="root", privileged=True)
def root_makes_files_of_nobody(s):
    node(s.path("f"))
    os.mkdir(s.path("d"))
    equal((owner(s.path("f")), owner(s.path("d"))), ((NOBODY, NOBODY),) * 2)


@check(squash="root", privileged=True)
def root_opens_no_private_file(s):
    with user(ANNA):
        write(s.path(), b"secret", mode=0o600)
    forget()
    with fails(errno.EACCES):
        read(s.path())
    with fails(errno.EACCES, errno.EPERM):
        os.truncate(s.path(), 0)
    with fails(errno.EPERM, errno.EACCES):
        os.chmod(s.path(), 0o666)


@check(squash="root", privileged=True)
def root_gives_nothing_away(s):
    node(s.path())
    with fails(errno.EPERM):
        os.chown(s.path(), ANNA, ANNA)
    with fails(errno.EPERM, errno.EACCES):
        os.mknod(s.path("null"), 0o020666, os.makedev(1, 3))


@check(squash="root", privileged=True)
def root_enters_no_private_directory(s):
    with user(ANNA):
        os.mkdir(s.path("d"), 0o700)
    with fails(errno.EACCES):
        node(s.path("d/f"))
    with user(ANNA):
        os.rmdir(s.path("d"))


@check(squash="root", privileged=True)
def the_group_of_root_is_squashed_too(s):
    with user(ANNA, gid=0):
        node(s.path())
    equal(owner(s.path()), (ANNA, NOBODY))


@check(squash="root", privileged=True)
def others_stay_who_they_are(s):
    with user(ANNA):
        write(s.path(), b"mine", mode=0o600)
        equal(read(s.path()), b"mine")
    equal(owner(s.path()), (ANNA, ANNA))
    with user(BERT), fails(errno.EACCES):
        read(s.path())


@check(squash="all", privileged=True)
def everybody_makes_files_of_nobody(s):
    for uid in (0, ANNA, BERT):
        with user(uid):
            node(s.path(str(uid)))
        equal(owner(s.path(str(uid))), (NOBODY, NOBODY), f"made by {uid}")


@check(squash="all", privileged=True, vers=3)
def everybody_shares_nobodys_rights(s):
    with user(ANNA):
        write(s.path(), b"ours", mode=0o600)
    forget()
    with user(BERT):
        equal(read(s.path()), b"ours")
        os.unlink(s.path())


@check(squash="all", privileged=True)
def nobody_gives_nothing_away(s):
    node(s.path())
    with fails(errno.EPERM):
        os.chown(s.path(), ANNA, ANNA)


@check(privileged=False)
def everybodys_files_belong_to_the_server(s):
    for uid in (0, ANNA):
        with user(uid):
            node(s.path(str(uid)))
            os.mkdir(s.path(f"d{uid}"))
        equal(owner(s.path(str(uid)))[0], s.server_uid, f"made by {uid}")
        equal(owner(s.path(f"d{uid}"))[0], s.server_uid, f"made by {uid}")


@check(privileged=False)
def a_server_without_privilege_gives_nothing_away(s):
    node(s.path())
    other = s.server_uid + 1
    with fails(errno.EPERM):
        os.chown(s.path(), other, -1)
    with fails(errno.EPERM):
        os.chown(s.path(), -1, other)
    os.chown(s.path(), s.server_uid, -1)


@check(privileged=False, vers=3)
def everybody_may_what_the_server_may(s):
    with user(ANNA):
        write(s.path(), b"ours", mode=0o600)
    forget()
    with user(BERT):
        equal(read(s.path()), b"ours")
        os.chmod(s.path(), 0o400)
        os.unlink(s.path())


@check(privileged=False, vers=3)
def a_file_that_is_closed_to_its_owner_is_used_on(s):
    for flags in (0, os.O_EXCL):
        with opened(s.path(str(flags)), os.O_RDWR | os.O_CREAT | flags, 0o400) as file:
            time.sleep(5)  # a descriptor that could be opened again is not kept for so long
            os.write(file, b"written once")
            os.fsync(file)
            os.fchmod(file, 0)
            os.write(file, b", and twice")
            os.fsync(file)
            forget()
            equal(os.pread(file, 100, 0), b"written once, and twice")
        equal(os.stat(s.path(str(flags))).st_mode & 0o7777, 0)
