// Every operation, in the order of the RFC's sections.
#pragma once

#include "helio/base/task.h"
#include "helio/nfs/v4/compound.h"

namespace helio::nfs::v4 {

using nfs4::nfsstat4;

// Declares what an operation looks like. Those that may have to wait are coroutines. Those that
// seldom do have a second function, which returns false without having done anything if it may have
// to wait.
#define HELIO_NFS4_NOW(name, NAME) \
    nfsstat4 name(Compound& compound, const nfs4::NAME##4args & args, nfs4::NAME##4res & out)
#define HELIO_NFS4_TASK(name, NAME) \
    Task<nfsstat4> name(Compound& compound, const nfs4::NAME##4args & args, nfs4::NAME##4res & out)

// Files.
HELIO_NFS4_TASK(access, ACCESS);
HELIO_NFS4_TASK(commit, COMMIT);
HELIO_NFS4_TASK(getattr, GETATTR);
bool getattr_now(Compound& compound, const nfs4::GETATTR4args& args, nfs4::GETATTR4res& out,
                 nfsstat4& status);
HELIO_NFS4_TASK(read, READ);
HELIO_NFS4_TASK(readdir, READDIR);
HELIO_NFS4_TASK(setattr, SETATTR);
HELIO_NFS4_TASK(verify, VERIFY);
HELIO_NFS4_TASK(nverify, NVERIFY);
HELIO_NFS4_TASK(write, WRITE);
Task<nfsstat4> readlink(Compound& compound, nfs4::READLINK4res& out);

// Names.
HELIO_NFS4_TASK(create, CREATE);
HELIO_NFS4_TASK(link, LINK);
HELIO_NFS4_TASK(lookup, LOOKUP);
HELIO_NFS4_TASK(remove, REMOVE);
HELIO_NFS4_TASK(rename, RENAME);
HELIO_NFS4_TASK(secinfo, SECINFO);
HELIO_NFS4_NOW(putfh, PUTFH);
HELIO_NFS4_NOW(secinfo_no_name, SECINFO_NO_NAME);
nfsstat4 getfh(Compound& compound, nfs4::GETFH4res& out);
Task<nfsstat4> lookupp(Compound& compound, nfs4::LOOKUPP4res& out);
nfsstat4 putpubfh(Compound& compound, nfs4::PUTPUBFH4res& out);
nfsstat4 putrootfh(Compound& compound, nfs4::PUTROOTFH4res& out);
nfsstat4 restorefh(Compound& compound, nfs4::RESTOREFH4res& out);
nfsstat4 savefh(Compound& compound, nfs4::SAVEFH4res& out);

// Opens and locks.
HELIO_NFS4_NOW(close, CLOSE);
HELIO_NFS4_NOW(delegreturn, DELEGRETURN);
HELIO_NFS4_NOW(free_stateid, FREE_STATEID);
HELIO_NFS4_NOW(open_downgrade, OPEN_DOWNGRADE);
HELIO_NFS4_NOW(test_stateid, TEST_STATEID);
HELIO_NFS4_TASK(lock, LOCK);
HELIO_NFS4_TASK(lockt, LOCKT);
HELIO_NFS4_TASK(locku, LOCKU);
HELIO_NFS4_TASK(open, OPEN);

// Clients and sessions.
HELIO_NFS4_NOW(backchannel_ctl, BACKCHANNEL_CTL);
HELIO_NFS4_NOW(bind_conn_to_session, BIND_CONN_TO_SESSION);
HELIO_NFS4_NOW(create_session, CREATE_SESSION);
HELIO_NFS4_NOW(destroy_clientid, DESTROY_CLIENTID);
HELIO_NFS4_NOW(destroy_session, DESTROY_SESSION);
HELIO_NFS4_NOW(exchange_id, EXCHANGE_ID);
HELIO_NFS4_NOW(reclaim_complete, RECLAIM_COMPLETE);
HELIO_NFS4_NOW(sequence, SEQUENCE);

#undef HELIO_NFS4_NOW
#undef HELIO_NFS4_TASK

}  // namespace helio::nfs::v4
