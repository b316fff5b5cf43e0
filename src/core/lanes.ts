/** One lane a receiver: deliveries start in order, one at a time while it answers quickly, a few side by side when it is slow. */

/** Does one delivery; calls `slow` when the receiver takes its time. */
type Task = (slow: () => void) => Promise<void>

interface Lane {
  waiting: Task[]
  running: number
  /** Of those running, how many have been slow: they hold up nobody. */
  slow: number
}

/** How many deliveries may be on the wire to one receiver. */
export const laneWidth = 10

export interface Lanes {
  add(receiver: string, task: Task): void
}

export function createLanes(): Lanes {
  const lanes = new Map<string, Lane>()

  const pump = (receiver: string, lane: Lane): void => {
    while (lane.waiting.length > 0 && lane.running < laneWidth && lane.running - lane.slow < 1) {
      const task = lane.waiting.shift()
      if (task !== undefined) start(receiver, lane, task)
    }
    if (lane.waiting.length === 0 && lane.running === 0) lanes.delete(receiver)
  }

  const start = (receiver: string, lane: Lane, task: Task): void => {
    let wasSlow = false
    lane.running++
    const slow = () => {
      if (wasSlow) return
      wasSlow = true
      lane.slow++
      pump(receiver, lane)
    }
    void task(slow).finally(() => {
      lane.running--
      if (wasSlow) lane.slow--
      wasSlow = true
      pump(receiver, lane)
    })
  }

  return {
    add(receiver, task) {
      const lane = lanes.get(receiver) ?? { waiting: [], running: 0, slow: 0 }
      lanes.set(receiver, lane)
      lane.waiting.push(task)
      pump(receiver, lane)
    },
  }
}
