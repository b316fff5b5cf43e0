/** What a hosted sandbox costs in a month: workspaces drawn by a stated activity, each with what a charge was measured to take. `--workspaces N`. */
import { parseArgs } from 'node:util'

const { values } = parseArgs({ options: { workspaces: { type: 'string', default: '1000000' } } })
const count = Number(values.workspaces)

/** Measured under workerd, a workspace in its usual way of life: rows written and read, the calls that the object gets. */
const measured = {
  waking: { written: 2, read: 250, calls: 0 },
  token: { written: 4, read: 5, calls: 1 },
  charge: { written: 11, read: 3, calls: 1 },
  paid: { written: 32, read: 24, calls: 1 },
  look: { written: 1, read: 2, calls: 1 },
}
const freshBytes = 258_048
const chargeBytes = 4300

/** Who does what on a day: so many sessions of so many minutes, so many charges in each, every one paid, and two looks for each. */
const activities = [
  { name: 'asleep', share: 0.95, sessions: 0, minutes: 0, charges: 0 },
  { name: 'somebody tries something', share: 0.04, sessions: 2, minutes: 20, charges: 15 },
  { name: 'a test suite on every push', share: 0.01, sessions: 15, minutes: 3, charges: 100 },
]

/** Prices of the runtime's host in US dollars, as its pages told them in the middle of 2026: what is included, and each million beyond it. */
const prices = {
  'calls at the door': { included: 10e6, perMillion: 0.3 },
  'calls and alarms of objects': { included: 1e6, perMillion: 0.15 },
  'GB-seconds awake': { included: 400e3, perMillion: 12.5 },
  'rows read': { included: 25e9, perMillion: 0.001 },
  'rows written': { included: 50e6, perMillion: 1 },
}
const storedPerGb = { included: 5, price: 0.2 }
const base = 5
const days = 30
const gigabytesAwake = 0.128
/** An object stays awake for so long after its last call. */
const lingerSeconds = 10

function draw(seed) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** By a number from 0 to 1: each as often as its share says. */
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
  used['calls at the door'] += calls * times
  used['calls and alarms of objects'] += calls * times
}
for (let index = 0; index < count; index++) {
  const activity = activityAt(random())
  // No two are alike: from half to one and a half times as much.
  const sessions = Math.round(activity.sessions * days * (0.5 + random()))
  const charges = sessions * activity.charges
  add(measured.waking, sessions)
  add(measured.token, sessions)
  add(measured.charge, charges)
  add(measured.paid, charges)
  add(measured.look, charges * 2)
  // One of each session's charges is left, and expires by the alarm; so does what the object sets for its own safety.
  const rings = sessions * 2
  alarms += rings
  used['calls and alarms of objects'] += rings
  used['rows written'] += rings
  const awakeSeconds = sessions * (activity.minutes * 60 + lingerSeconds) + rings * lingerSeconds
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
  `${count.toLocaleString('en')} workspaces, a month (of the calls of objects ${alarms.toLocaleString('en')} are alarms)\n`,
)
console.log('| what | how much | US dollars |\n| --- | ---: | ---: |')
for (const row of rows) console.log(`| ${row.join(' | ')} |`)
console.log(`| GB stored | ${Math.round(storedGb).toLocaleString('en')} | ${money(storedCost)} |`)
console.log(`| the account itself | | ${money(base)} |\n| **together** | | **${money(total)}** |`)
console.log(
  `\nA workspace ${(total / count).toFixed(5)} dollars a month; ${Math.round(awakeAtOnce).toLocaleString('en')} awake at one time.`,
)
