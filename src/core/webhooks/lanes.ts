/** One lane a receiver: deliveries start in order, one at a time while it answers quickly, a few side by side when it is slow. */

/** Does one delivery; calls `slow` when the receiver takes its time. */
type Task = (slow: () => void) => Promise<void>

interface Lane {
  /** In order; those before `next` have started. */
  waiting: Task[]
  next: number
  running: number
  /** Of those running, how many have been slow: they hold up nobody. */
  slow: number
}

/** How many deliveries may be on the wire to one receiver. */
export const laneWidth = 10
/** How many to all receivers together, the slow ones not counted: so many at a time, and slow ones still hold up nobody. */
export const quickWidth = 256

export interface Lanes {
  add(receiver: string, task: Task): void
}

export function createLanes(): Lanes {
  const lanes = new Map<string, Lane>()
  /** Lanes that could go on but for `quickWidth`, the longest waiting first. */
  const held = new Set<string>()
  let quick = 0

  const pump = (receiver: string, lane: Lane): void => {
    while (lane.next < lane.waiting.length && lane.running < laneWidth && lane.running === lane.slow) {
      if (quick >= quickWidth) return void held.add(receiver)
      const task = take(lane)
      if (task !== undefined) start(receiver, lane, task)
    }
    if (lane.next === lane.waiting.length && lane.running === 0) lanes.delete(receiver)
  }

  const pumpHeld = (): void => {
    for (const receiver of held) {
      if (quick >= quickWidth) return
      held.delete(receiver)
      const lane = lanes.get(receiver)
      if (lane !== undefined) pump(receiver, lane)
    }
  }

  const start = (receiver: string, lane: Lane, task: Task): void => {
    let isQuick = true
    lane.running++
    quick++
    const leave = () => {
      isQuick = false
      quick--
    }
    const slow = () => {
      if (!isQuick) return
      leave()
      lane.slow++
      pump(receiver, lane)
      pumpHeld()
    }
    void task(slow).finally(() => {
      if (isQuick) leave()
      else lane.slow--
      lane.running--
      pump(receiver, lane)
      pumpHeld()
    })
  }

  return {
    add(receiver, task) {
      const lane = lanes.get(receiver) ?? { waiting: [], next: 0, running: 0, slow: 0 }
      lanes.set(receiver, lane)
      lane.waiting.push(task)
      pump(receiver, lane)
    },
  }
}

/** Moving up a whole queue for each one that leaves it would make long queues slow. */
function take(lane: Lane): Task | undefined {
  const task = lane.waiting[lane.next++]
  if (lane.next >= 1000 || lane.next === lane.waiting.length) {
    lane.waiting.splice(0, lane.next)
    lane.next = 0
  }
  return task
}
