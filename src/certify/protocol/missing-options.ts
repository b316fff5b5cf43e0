/** Why a rule is inconclusive if an option is missing, with the flag that sets it. */
export const missingOptions = {
  stateUrl: 'requires the state URL (--state-url or --state-command)',
  restart: 'requires a URL or command that restarts the receiver (--restart or --restart-command)',
  productionMode: 'tested only with --mode production',
  productionUrl: 'requires the production URL (--production-url)',
} as const
