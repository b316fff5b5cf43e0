/** The address of a sandbox without any settings. */

export const defaultHost = '127.0.0.1'
export const defaultPort = 4010
export const defaultUrl = `http://${defaultHost}:${defaultPort}`
