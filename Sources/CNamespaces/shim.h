#if defined(__linux__)
// <sched.h> declares it for those alone who ask for all of GNU, which Swift's module of the C library does not.
extern int unshare(int flags);
#endif
