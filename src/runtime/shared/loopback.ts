/** Checks whether a sandbox that listens on this address can be reached from its own machine only. */
export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|::1)$/i.test(host)
