/** Estimates the monthly cost of a hosted sandbox: simulates N workspaces with assumed activities and measured costs. `node scripts/hosting-costs.mjs --workspaces N`. */
import { parseArgs } from 'node:util'

const { values } = parseArgs({ options: { workspaces: { type: 'string', default: '1000000' } } })
const count = Number(values.workspaces)

/** Costs measured under workerd: rows written, rows read, and calls to the object. `look` is one read of the workspace. */
const costs = {
  waking: { written: 2, read: 250, calls: 0 },
  token: { written: 4, read: 5, calls: 1 },
  charge: { written: 11, read: 3, calls: 1 },
  paid: { written: 32, read: 24, calls: 1 },
  look: { written: 1, read: 2, calls: 1 },
}
const freshBytes = 258_048
const chargeBytes = 4300

/** Assumed activities on a day: the number of sessions, their length, and the charges in each. Each charge is paid and read twice. */
const activities = [
  { name: 'asleep', share: 0.95, sessions: 0, minutes: 0, charges: 0 },
  { name: 'somebody tries something', share: 0.04, sessions: 2, minutes: 20, charges: 15 },
  { name: 'a test suite on every push', share: 0.01, sessions: 15, minutes: 3, charges: 100 },
]

/** Published prices of the host in US dollars, mid-2026: the included amount, and the price of each further million. */
const prices = {
  'calls to the worker': { included: 10e6, perMillion: 0.3 },
  'calls and alarms of objects': { included: 1e6, perMillion: 0.15 },
  'GB-seconds awake': { included: 400e3, perMillion: 12.5 },
  'rows read': { included: 25e9, perMillion: 0.001 },
  'rows written': { included: 50e6, perMillion: 1 },
}
const storedPerGb = { included: 5, price: 0.2 }
const base = 5
const days = 30
const gigabytesAwake = 0.128
/** How long an object stays awake after its last call. */
const lingerSeconds = 10

function draw(seed) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** Maps a number from 0 to 1 to an activity, by the activities' shares. */
function activityAt(place) {
  let above = 0
  for (const activity of activities) {
    above += activity.share
    if (place < above) return activity
  }
  return activities[0]
}

const random = draw(1)
const used = Object.fromEntries(Object.keys(prices).map((name) => [name, 0]))
let [storedBytes, alarms, awakeAtOnce] = [0, 0, 0]
const add = ({ written, read, calls }, times) => {
  used['rows written'] += written * times
  used['rows read'] += read * times
  used['calls to the worker'] += calls * times
  used['calls and alarms of objects'] += calls * times
}
for (let index = 0; index < count; index++) {
  const activity = activityAt(random())
  // Workspaces differ: each has between half and one and a half times the sessions.
  const sessions = Math.round(activity.sessions * days * (0.5 + random()))
  const charges = sessions * activity.charges
  add(costs.waking, sessions)
  add(costs.token, sessions)
  add(costs.charge, charges)
  add(costs.paid, charges)
  add(costs.look, charges * 2)
  // Each session causes two alarms: one expires a charge that was not paid, the other is the object's safety alarm.
  const sessionAlarms = sessions * 2
  alarms += sessionAlarms
  used['calls and alarms of objects'] += sessionAlarms
  used['rows written'] += sessionAlarms
  const awakeSeconds = sessions * (activity.minutes * 60 + lingerSeconds) + sessionAlarms * lingerSeconds
  used['GB-seconds awake'] += awakeSeconds * gigabytesAwake
  awakeAtOnce += awakeSeconds / (days * 86_400)
  storedBytes += freshBytes + charges * chargeBytes
}

const money = (dollars) => dollars.toFixed(2)
let total = base
const rows = Object.entries(prices).map(([name, { included, perMillion }]) => {
  const cost = (Math.max(0, used[name] - included) / 1e6) * perMillion
  total += cost
  return [name, Math.round(used[name]).toLocaleString('en'), money(cost)]
})
const storedGb = storedBytes / 1e9
const storedCost = Math.max(0, storedGb - storedPerGb.included) * storedPerGb.price
total += storedCost
console.log(
  `${count.toLocaleString('en')} workspaces for a month (the calls of objects include ${alarms.toLocaleString('en')} alarms)\n`,
)
console.log('| item | amount | US dollars |\n| --- | ---: | ---: |')
for (const row of rows) console.log(`| ${row.join(' | ')} |`)
console.log(`| GB stored | ${Math.round(storedGb).toLocaleString('en')} | ${money(storedCost)} |`)
console.log(`| the account itself | | ${money(base)} |\n| **together** | | **${money(total)}** |`)
console.log(
  `\nOne workspace costs ${(total / count).toFixed(5)} dollars a month; ${Math.round(awakeAtOnce).toLocaleString('en')} are awake at a time.`,
)
