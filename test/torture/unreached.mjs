/** Rows that the simulation never meets, by reason. A row that it neither meets nor explains here fails a test. */

export const unreached = {
  'would be a bug': ['error: INTERNAL_ERROR'],
  'needs a process or a shared host': [
    'error: INBOX_FULL',
    'control route: POST /admin-token',
    'control route: POST /workspaces',
    'control route: DELETE /workspaces/{name}',
    'control route: GET /stream',
    'control route: GET /metrics',
  ],
  'is a page': ['control route: GET /docs', 'control route: GET /docs.css', 'control route: GET /docs.js'],
  'makes random objects': ['control route: POST /seed/{name}'],
  'contradicts the simulated receivers': ['setting: webhook_url', 'setting: strict_webhooks'],
  'changes only the text of an event': ['setting: amount_decimals', 'setting: sent_direction'],
  'is not in the model': [
    'setting: wrong_destination',
    'setting: fees',
    'setting: fee_rounding',
    'setting: limits',
    'setting: limit_day',
    'setting: split_base',
    'setting: second_wallet',
    'setting: rate_decimals',
  ],
}
