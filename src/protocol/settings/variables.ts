/** The environment variables of settings. */

export const variablePrefix = 'PAYMENTS_SANDBOX_'

/** `webhook_url` is `PAYMENTS_SANDBOX_WEBHOOK_URL`. */
export const variableOf = (name: string) => variablePrefix + name.toUpperCase()
