/** One call at a time while they are answered quickly; those that take their time hold up nobody, up to so many. */

/** Does one call; `slow` is called when it takes its time. Must not reject. */
type Task = (slow: () => void) => Promise<void>

const width = 10

export class Queue {
  readonly #waiting: Task[] = []
  #running = 0
  #quick = 0

  add(task: Task): void {
    this.#waiting.push(task)
    this.#pump()
  }

  #pump(): void {
    while (this.#running < width && this.#quick === 0) {
      const task = this.#waiting.shift()
      if (task === undefined) return
      this.#start(task)
    }
  }

  #start(task: Task): void {
    let isQuick = true
    this.#running++
    this.#quick++
    const slow = () => {
      if (!isQuick) return
      isQuick = false
      this.#quick--
      this.#pump()
    }
    void task(slow).finally(() => {
      this.#running--
      slow()
      this.#pump()
    })
  }
}
