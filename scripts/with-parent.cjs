/** Ends this process when its parent has ended: the shell between npm and its script does not forward signals. */
const parent = process.ppid
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM')
}, 200).unref()
