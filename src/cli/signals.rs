//! What the program makes of signals whose default would end it in the middle of its work.
//!
//! A process that writes beyond its file size limit (RLIMIT_FSIZE, `ulimit -f`) is sent SIGXFSZ, which ends it; when the
//! signal is ignored, the write fails with EFBIG instead (POSIX, `write`), and that is treated as a full disk is. The
//! signals that ask a server to end or to read its settings again are heard where it serves.

/// Lets a write beyond the file size limit fail, instead of ending the process. To be called once, before all else.
pub fn ignore_file_size_signal() {
    // SAFETY: the signal number and SIG_IGN are valid arguments, no handler is installed that could run at a bad moment,
    // and nobody else in the process cares about this signal. It can fail only for a number that is no signal.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}
