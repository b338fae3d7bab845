"""Users: who may do what is decided by the server, from the ids of each call. No squashing."""
import errno
import os
import shutil

from checking import check, equal, fails, forget, node, opened, read, true, user, write

ANNA, BERT, GROUP = 1001, 1002, 7777

users = check(squash="none", privileged=True)


@users
def a_new_file_belongs_to_its_creator(s):
    with user_anna():
        write(s.path("f"), b"")
        os.mkdir(s.path("d"))
        os.symlink("x", s.path("l"))
        os.mkfifo(s.path("p"))
    forget()
    for name in "fdlp":
        found = os.lstat(s.path(name))
        equal((found.st_uid, found.st_gid), (ANNA, ANNA), name)


def user_anna(groups=()):
    return user(ANNA, groups=groups)


def user_bert(groups=()):
    return user(BERT, groups=groups)


@users
def no_call_runs_as_the_caller_before(s):
    for number in range(120):
        with user(2000 + number % 7, 3000 + number % 5):
            node(s.path(str(number)))
    forget()
    for number in range(120):
        found = os.stat(s.path(str(number)))
        equal((found.st_uid, found.st_gid), (2000 + number % 7, 3000 + number % 5), f"file {number}")


@users
def a_private_file_is_closed_to_others(s):
    with user_anna():
        write(s.path(), b"secret", mode=0o600)
    forget()
    with user_bert():
        with fails(errno.EACCES):
            read(s.path())
        with fails(errno.EACCES):
            write(s.path(), b"x", os.O_WRONLY)
        with fails(errno.EACCES):
            os.truncate(s.path(), 0)
    with user_anna():
        equal(read(s.path()), b"secret")


@users
def root_reads_every_file(s):
    with user_anna():
        write(s.path(), b"secret", mode=0o600)
        os.chmod(s.path(), 0)
    forget()
    equal(read(s.path()), b"secret")
    write(s.path(), b"root was here")


@users
def a_group_opens_a_file(s):
    write(s.path(), b"for the group", mode=0o640)
    os.chown(s.path(), 0, GROUP)
    forget()
    with user(BERT, GROUP):
        equal(read(s.path()), b"for the group", "own group")
        with fails(errno.EACCES):
            write(s.path(), b"x", os.O_WRONLY)
    with user_bert(), fails(errno.EACCES):
        read(s.path())


@users
def each_of_16_groups_counts(s):
    os.mkdir(s.path("d"))
    os.chown(s.path("d"), 0, GROUP)
    os.chmod(s.path("d"), 0o770)
    for place in (0, 7, 15):  # the kernel sorts them
        with user_bert(range(GROUP - place, GROUP - place + 16)):
            node(s.path(f"d/{place}"))
    with user_bert(range(GROUP + 1, GROUP + 17)), fails(errno.EACCES):
        node(s.path("d/none"))
    equal(sorted(os.listdir(s.path("d"))), ["0", "15", "7"])


@users
def access_answers_for_the_caller(s):
    node(s.path())
    os.chown(s.path(), ANNA, GROUP)
    os.chmod(s.path(), 0o754)
    forget()

    def granted():
        return "".join(letter for letter, bit in (("r", os.R_OK), ("w", os.W_OK), ("x", os.X_OK))
                       if os.access(s.path(), bit, effective_ids=True))

    with user_anna():
        equal(granted(), "rwx", "owner")
    with user_bert([GROUP]):
        equal(granted(), "rx", "group")
    with user_bert():
        equal(granted(), "r", "others")


@users
def bits_of_a_directory_are_kept_apart(s):
    os.mkdir(s.path("d"))
    write(s.path("d/f"), b"f")
    os.chmod(s.path("d"), 0o711)
    forget()
    with user_bert():
        equal(read(s.path("d/f")), b"f", "search without list")
        with fails(errno.EACCES):
            os.listdir(s.path("d"))
    os.chmod(s.path("d"), 0o744)
    forget()
    with user_bert():
        equal(os.listdir(s.path("d")), ["f"], "list without search")
        with fails(errno.EACCES):
            os.stat(s.path("d/f"))
    os.chmod(s.path("d"), 0o755)
    forget()
    with user_bert():
        for change in (lambda: node(s.path("d/g")), lambda: os.unlink(s.path("d/f")), lambda: os.mkdir(s.path("d/e")),
                       lambda: os.rename(s.path("d/f"), s.path("d/g")), lambda: os.symlink("x", s.path("d/l"))):
            with fails(errno.EACCES):
                change()


@users
def in_a_sticky_directory_only_owners_remove(s):
    os.mkdir(s.path("tmp"))
    os.chmod(s.path("tmp"), 0o1777)
    with user_anna():
        write(s.path("tmp/f"), b"")
    with user_bert():
        with fails(errno.EPERM, errno.EACCES):
            os.unlink(s.path("tmp/f"))
        with fails(errno.EPERM, errno.EACCES):
            os.rename(s.path("tmp/f"), s.path("tmp/g"))
    with user_anna():
        os.unlink(s.path("tmp/f"))


@users
def a_setgid_directory_gives_its_group(s):
    os.mkdir(s.path("d"))
    os.chown(s.path("d"), 0, GROUP)
    os.chmod(s.path("d"), 0o2777)
    with user_anna():
        node(s.path("d/f"))
        os.mkdir(s.path("d/e"))
    forget()
    equal(os.stat(s.path("d/f")).st_gid, GROUP)
    found = os.stat(s.path("d/e"))
    equal((found.st_gid, found.st_mode & 0o2000), (GROUP, 0o2000), "a directory inherits the bit, too")


@users
def only_the_owner_changes_the_mode(s):
    with user_anna():
        node(s.path())
    with user_bert(), fails(errno.EPERM):
        os.chmod(s.path(), 0o777)
    with user_anna():
        os.chmod(s.path(), 0o604)
    forget()
    equal(os.stat(s.path()).st_mode & 0o7777, 0o604)


@users
def root_gives_files_away(s):
    node(s.path())
    for uid, gid in ((1234, 5678), (0, 5678), (4_000_000_000, 4_000_000_001)):
        os.chown(s.path(), uid, gid)
        forget()
        equal((os.stat(s.path()).st_uid, os.stat(s.path()).st_gid), (uid, gid))
    os.chown(s.path(), -1, 42)
    equal((os.stat(s.path()).st_uid, os.stat(s.path()).st_gid), (4_000_000_000, 42), "-1 leaves it")
    os.symlink("nowhere", s.path("l"))
    os.chown(s.path("l"), 11, 12, follow_symlinks=False)
    equal((os.lstat(s.path("l")).st_uid, os.lstat(s.path("l")).st_gid), (11, 12), "a symlink")


@users
def others_give_no_files_away(s):
    with user_anna([GROUP]):
        node(s.path())
        with fails(errno.EPERM):
            os.chown(s.path(), BERT, -1)
        with fails(errno.EPERM):
            os.chown(s.path(), -1, 4321)
        os.chown(s.path(), -1, GROUP)
    with user_bert(), fails(errno.EPERM):
        os.chown(s.path(), BERT, -1)
    equal((os.stat(s.path()).st_uid, os.stat(s.path()).st_gid), (ANNA, GROUP))


@users
def changing_hands_takes_setuid_away(s):
    with user_anna([GROUP]):
        node(s.path())
        os.chmod(s.path(), 0o6755)
        os.chown(s.path(), -1, GROUP)
    forget()
    equal(os.stat(s.path()).st_mode & 0o7777, 0o755)


@users
def writing_by_another_takes_setuid_away(s):
    with user_anna():
        write(s.path(), b"program")
        os.chmod(s.path(), 0o4777)
    forget()
    with user_bert():
        write(s.path(), b"replaced", os.O_WRONLY)
    forget()
    equal(os.stat(s.path()).st_mode & 0o7777, 0o777)


@users
def an_owner_goes_on_writing_a_file_that_became_closed(s):
    with user_anna():
        with opened(s.path(), os.O_RDWR | os.O_CREAT) as file:
            os.fchmod(file, 0)
            os.write(file, b"still mine")
            os.fsync(file)
            forget_as_root()
            equal(os.pread(file, 100, 0), b"still mine")
        with fails(errno.EACCES):
            os.open(s.path(), os.O_RDONLY)


def forget_as_root():
    uid, gid = os.geteuid(), os.getegid()
    os.seteuid(0)
    os.setegid(0)
    forget()
    os.setegid(gid)
    os.seteuid(uid)


@users
def a_created_file_may_be_read_only(s):
    with user_anna():
        with opened(s.path(), os.O_WRONLY | os.O_CREAT, 0o444) as file:
            os.write(file, b"written once")
        forget_as_root()
        equal(read(s.path()), b"written once")
        with fails(errno.EACCES):
            os.open(s.path(), os.O_WRONLY)


@users
def a_program_may_be_run_without_reading_it(s):
    shutil.copy("/bin/true", s.path("run"))
    os.chmod(s.path("run"), 0o711)
    forget()
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setgid(BERT)
        os.setuid(BERT)
        try:
            os.execv(s.path("run"), ["run"])
        except OSError as why:
            print(f"    execv: {why}", flush=True)
        finally:
            os._exit(99)
    equal(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0, "exit status")
    with user_bert(), fails(errno.EACCES):
        read(s.path("run"))


@users
def times_are_set_by_the_owner_touched_by_writers(s):
    with user_anna():
        node(s.path())
        os.chmod(s.path(), 0o666)
        os.utime(s.path(), ns=(10**9, 10**9))
    with user_bert():
        with fails(errno.EPERM):
            os.utime(s.path(), ns=(2 * 10**9, 2 * 10**9))
        os.utime(s.path())
    with user_anna():
        os.chmod(s.path(), 0o644)
    forget()
    true(os.stat(s.path()).st_mtime > 10**6, "touching did nothing")
    with user_bert(), fails(errno.EACCES):
        os.utime(s.path())
