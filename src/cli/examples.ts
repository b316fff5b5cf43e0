/** The examples of every help text, by command. A test runs each of them against a real sandbox. */
import type { Command } from 'commander'

export interface Example {
  run: string
  says: string
  /** Runs until it is told to stop. */
  stays?: true
}

export const examples: Readonly<Record<string, readonly Example[]>> = {
  start: [
    { run: 'payments-sandbox start', says: 'in memory, on port 4010', stays: true },
    { run: 'payments-sandbox start --db sandbox.sqlite', says: 'keeps its state in a file', stays: true },
    {
      run: 'payments-sandbox start --port 0 --clock manual --seed ci --json',
      says: 'for tests: a free port, time stands still, the same ids every time',
      stays: true,
    },
    { run: 'payments-sandbox start --detach --port 0', says: 'in the background, until payments-sandbox stop' },
    { run: 'payments-sandbox start --snapshot golden.json', says: 'as an exported file has it', stays: true },
    { run: 'payments-sandbox start --config sandbox.yaml', says: 'settings and accounts from a file', stays: true },
  ],
  exec: [
    {
      run: `payments-sandbox exec -- sh -c 'curl -s $PAYMENTS_SANDBOX_URL/_sandbox/health'`,
      says: 'the command finds it by its environment',
    },
    {
      run: `payments-sandbox exec --clock manual --seed ci -- node --test`,
      says: 'a test suite with a clock that stands still',
    },
  ],
  status: [{ run: 'payments-sandbox status', says: 'where they are' }],
  stop: [{ run: 'payments-sandbox stop --all', says: 'every sandbox in the background' }],
  env: [
    { run: 'eval "$(payments-sandbox env)"', says: 'address and secrets into this shell' },
    { run: 'payments-sandbox env --format dotenv > .env', says: 'into a dotenv file' },
    { run: 'payments-sandbox env --account customer --json', says: 'those of another account' },
  ],
  doctor: [{ run: 'payments-sandbox doctor', says: 'is everything well?' }],
  trigger: [
    { run: 'payments-sandbox trigger cashin.pay', says: 'somebody pays the newest charge' },
    {
      run: 'payments-sandbox trigger cashin.pay order-17 --set payer.name=Ana',
      says: 'Ana pays the charge with that external_id',
    },
    {
      run: 'payments-sandbox trigger cashout.fail --error-code PIX_KEY_NOT_FOUND',
      says: 'the newest withdrawal fails',
    },
    {
      run: 'payments-sandbox trigger dispute.win --create --set amount=80',
      says: 'a charge of 80 is made, paid and disputed, and the dispute is won',
    },
    {
      run: 'payments-sandbox trigger dispute.open --reason "item not received"',
      says: 'the payer of the newest paid PIX charge disputes it',
    },
  ],
  'seed demo': [{ run: 'payments-sandbox seed demo', says: 'a month to look at in the dashboard' }],
  'scenario list': [{ run: 'payments-sandbox scenario list', says: 'all of them' }],
  'scenario show': [{ run: 'payments-sandbox scenario show tron-energy-fail', says: 'what it does, step by step' }],
  'scenario new': [
    {
      run: 'payments-sandbox scenario new late-refund',
      says: 'a file to begin with, completed and explained by your editor',
    },
  ],
  'scenario validate': [
    { run: 'payments-sandbox scenario validate my-scenario.yaml', says: 'every mistake with its line' },
  ],
  'scenario run': [
    { run: 'payments-sandbox scenario run my-scenario.yaml', says: 'a file of your own' },
    { run: 'payments-sandbox scenario run med-dispute-lost --fast-forward', says: 'seven days in a moment' },
    {
      run: 'payments-sandbox scenario run my-scenario.yaml --param delay=5s --junit results.xml',
      says: 'with another parameter, for a CI system',
    },
  ],
  'scenario arm': [
    {
      run: 'payments-sandbox scenario arm tron-energy-fail',
      says: 'every matching withdrawal of your program fails from now on',
    },
    { run: 'payments-sandbox scenario arm tron-energy-fail --times 1', says: 'only the next one' },
    { run: 'payments-sandbox scenario arm my-scenario.yaml', says: 'one of your own, which the sandbox then keeps' },
  ],
  'scenario disarm': [{ run: 'payments-sandbox scenario disarm tron-energy-fail', says: 'calls pass again' }],
  'certify receiver': [
    {
      run: 'payments-sandbox certify receiver --url http://localhost:3000/webhooks',
      says: 'what can be told from outside',
    },
    {
      run: 'payments-sandbox certify receiver --url http://localhost:3000/webhooks --effects http://localhost:3000/effects --junit certify.xml --badge certify.svg',
      says: 'with what became of each transaction, for a CI system and a README',
    },
    {
      run: `payments-sandbox certify receiver --url localhost:3000/webhooks --effects-command 'sh tell-effects.sh'`,
      says: 'told by a command, which prints {"status": "confirmed", "credited": "25.50"}',
    },
  ],
  'certify client': [
    {
      run: `payments-sandbox certify client --effects-command 'node client.mjs status' -- node client.mjs`,
      says: 'a program that finds the sandbox by its environment',
    },
    { run: 'payments-sandbox certify client --observe -- node client.mjs', says: 'nothing is put in its way' },
  ],
  clock: [
    { run: 'payments-sandbox clock', says: 'what time it is' },
    { run: 'payments-sandbox clock advance 10m', says: 'ten minutes pass, with everything that is due in them' },
  ],
  'clock advance': [
    { run: 'payments-sandbox clock advance 10m', says: 'ten minutes' },
    { run: 'payments-sandbox clock advance --until idle', says: 'until nothing is due any more' },
    { run: 'payments-sandbox clock advance --to 2099-01-01T00:00:00Z', says: 'to a moment' },
  ],
  'clock freeze': [{ run: 'payments-sandbox clock freeze', says: 'from now on time passes only by advance' }],
  'clock resume': [{ run: 'payments-sandbox clock resume', says: 'from here on it runs by itself' }],
  request: [
    { run: 'payments-sandbox request GET /v2/account/balance', says: 'with a token' },
    {
      run: `payments-sandbox request POST /v2/transactions/cashin --data '{"amount":25,"currency":"BRL"}'`,
      says: 'create a charge',
    },
    {
      run: `payments-sandbox request POST /v2/transactions/cashout --data '{"amount":10,"currency":"BRL","key":"ana@example.com","external_id":"w-1"}'`,
      says: 'withdraw: signed, as this route wants it',
    },
    { run: 'payments-sandbox request POST /v2/transactions/cashin --data @charge.json', says: 'the body from a file' },
  ],
  transactions: [
    {
      run: 'payments-sandbox transactions --type cashin --status pending',
      says: 'the newest that are still to be paid',
    },
    { run: 'payments-sandbox transactions tx_0000001w6e31d7kfxvrm', says: 'one, with history, events and postings' },
    { run: 'payments-sandbox transactions --follow', says: 'each change as it happens', stays: true },
  ],
  webhooks: [
    { run: 'payments-sandbox webhooks --status failed', says: 'what did not arrive' },
    { run: 'payments-sandbox webhooks evt_0000001yr7r392dgw322', says: 'one: every attempt, the exact body' },
    { run: 'payments-sandbox webhooks --follow', says: 'each delivery as it happens', stays: true },
  ],
  'webhooks redeliver': [
    { run: 'payments-sandbox webhooks redeliver evt_0000001yr7r392dgw322', says: 'same id, same body, now' },
  ],
  'webhooks wait': [
    { run: 'payments-sandbox webhooks wait cashin.confirmed', says: 'until it has arrived, five seconds at most' },
    { run: 'payments-sandbox webhooks wait --external-id order-18 --timeout 30s', says: 'whatever comes of one order' },
  ],
  disputes: [{ run: 'payments-sandbox disputes --status open', says: 'those that want an answer' }],
  logs: [{ run: 'payments-sandbox logs', says: 'what your program does, and what it is told', stays: true }],
  requests: [
    { run: 'payments-sandbox requests --error-code INVALID_SIGNATURE', says: 'calls refused for their signature' },
    {
      run: 'payments-sandbox requests req_0000005knz76yb29nrft',
      says: 'one: headers, bodies, and what was wrong with the signature',
    },
    {
      run: 'payments-sandbox requests req_0000005knz76yb29nrft --curl',
      says: 'commands for a shell that make that call again',
    },
    {
      run: 'payments-sandbox requests req_0000005knz76yb29nrft --replay',
      says: 'or make it at once, with a fresh token and signature',
    },
    { run: 'payments-sandbox requests --follow', says: 'each call as it comes', stays: true },
  ],
  listen: [
    { run: 'payments-sandbox listen', says: 'print each webhook, with a verdict on its signature', stays: true },
    {
      run: 'payments-sandbox listen --forward-to http://localhost:3000/webhooks',
      says: 'and hand it on to your program',
      stays: true,
    },
  ],
  inbox: [
    { run: 'payments-sandbox inbox', says: 'which there are' },
    { run: 'payments-sandbox inbox examples', says: 'the webhooks that came to /_sandbox/inbox/examples' },
    { run: 'payments-sandbox inbox --empty', says: 'forget what came to the one called main' },
  ],
  'account list': [{ run: 'payments-sandbox account list', says: 'who there is' }],
  'account create': [
    { run: 'payments-sandbox account create shop --balance BRL=500.00', says: 'an account with money and keys' },
  ],
  'account balance': [
    { run: 'payments-sandbox account balance merchant', says: 'what it has' },
    { run: 'payments-sandbox account balance merchant BRL=500.00 USDT=0', says: 'what it shall have' },
  ],
  'account set': [
    {
      run: 'payments-sandbox account set merchant --webhook-url http://localhost:3000/webhooks',
      says: 'its webhooks go there from now on',
    },
    {
      run: 'payments-sandbox account set merchant --limit BRL:cashin:max_amount=500 --fee BRL:cashout:percent=1.5',
      says: 'what it may move, what it pays',
    },
  ],
  'workspace list': [{ run: 'payments-sandbox workspace list', says: 'which there are' }],
  'workspace create': [
    { run: 'payments-sandbox workspace create team-b', says: 'one more, for another team or test run' },
  ],
  'workspace delete': [{ run: 'payments-sandbox workspace delete team-a', says: 'drop it' }],
  'snapshot save': [{ run: 'payments-sandbox snapshot save after-setup', says: 'keep everything as it is' }],
  'snapshot restore': [{ run: 'payments-sandbox snapshot restore before', says: 'back to how it was' }],
  'snapshot list': [{ run: 'payments-sandbox snapshot list', says: 'what is kept' }],
  'snapshot export': [
    { run: 'payments-sandbox snapshot export golden.json', says: 'the present state, to keep in a repository' },
    { run: 'payments-sandbox snapshot export before.json --name before', says: 'a snapshot that is kept' },
  ],
  'snapshot import': [
    { run: 'payments-sandbox snapshot import golden.json', says: 'the present state is that of the file' },
  ],
  'snapshot delete': [{ run: 'payments-sandbox snapshot delete before', says: 'forget it' }],
  mcp: [{ run: 'payments-sandbox mcp < /dev/null', says: 'what an agent runs; it talks on standard input and output' }],
  completion: [
    { run: 'payments-sandbox completion bash > payments-sandbox.bash', says: 'a file for your shell to source' },
    { run: 'payments-sandbox completion zsh > _payments-sandbox', says: 'into a folder of your fpath' },
    { run: 'payments-sandbox completion fish > payments-sandbox.fish', says: 'into ~/.config/fish/completions' },
  ],
  reset: [{ run: 'payments-sandbox reset', says: 'as right after start' }],
}

/** Adds the examples of a command and of its subcommands to their help texts. */
export function addExamples(command: Command, path = command.name()): void {
  const lines = (examples[path] ?? []).flatMap(({ run, says }) => [`  # ${says}`, `  ${run}`])
  if (lines.length > 0) command.addHelpText('after', ['', 'Examples:', ...lines].join('\n'))
  for (const inner of command.commands) addExamples(inner, `${path} ${inner.name()}`)
}
