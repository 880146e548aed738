/* results_lock.h - one writer at a time for a directory of results. The lock is one of the kernel (fcntl) on the file
 * run.lock of the directory, which works over NFS too where the server has locks; it ends with the process that holds
 * it, however that process ends. The file names the host and the process of the holder. */
#ifndef MYR_CLI_RESULTS_LOCK_H
#define MYR_CLI_RESULTS_LOCK_H

enum { RESULTS_HOST = 256, RESULTS_PATH = 1024 };

/* Process that writes into a directory. */
typedef struct {
    char host[RESULTS_HOST]; /* "" = not known */
    long process;            /* 0 = not known */
} results_writer;

/* A lock that this process holds; all zero = none. */
typedef struct {
    int held;
    int descriptor;
    char path[RESULTS_PATH];
} results_lock;

/* This process. */
void results_writer_self(results_writer *self);

/* 1 if another process writes into the directory, and who; 0 if nobody does; -1 where the file system cannot tell. */
int results_lock_test(const char *directory, results_writer *writer);

/* Takes the lock. Where another process holds it, prints which one and returns the exit code, having changed nothing.
 * A directory that is not there is nobody's: the lock is then not held, which is no error. A file system without locks
 * gives a note. The process must not open run.lock in any other way: closing such a descriptor would end the lock. */
int results_lock_take(const char *directory, results_lock *lock);

/* Prints that another process writes into the directory, and returns the exit code. */
int results_lock_refuse(const char *directory, const results_writer *writer);

/* Gives the lock back and removes its file. Does nothing where it is not held. */
void results_lock_release(results_lock *lock);

#endif
