// Package hooks runs the scripts that an operator puts into the hooks directory, at the events of a migration.
//
// What it promises: at each event the directory is read anew, and the files whose name begins with the event's are executed in byte order
// of their names, one after the other, with the process's environment and the variables of Environment. The first file that fails (or
// cannot be executed at all) stops the others and is the error. What a hook prints, to stdout or stderr, is passed on line by line while it
// runs; nothing is held back until the end and nothing is lost for want of a final newline.
//
// A hook is over when its process has ended and its output is closed, so a child in the background that keeps the output open is waited for.
// When the timeout or the context ends first, the hook's process group is killed: the script and its children, so that no forgotten
// `sleep` keeps a migration from going on.
//
// What it relies on: scripts have a shebang and the executable bit; children that leave the process group (setsid) look after themselves.
//
// Scars: a hook that hangs used to hang the migration, under its locks too (TestHungHookIsKilledWithItsChildren); a directory that cannot
// be read used to look like one without hooks (TestDirectoryThatCannotBeReadIsAnError).
package hooks
