/** Which rows of a list are selected. */
import { useRef, useState } from 'hono/jsx/dom'
import type { Selection } from '../parts/table.js'

/** Rows that are no longer in the list are no longer selected. */
export function useSelection(keys: readonly string[]): Selection {
  const [marked, mark] = useState<ReadonlySet<string>>(new Set())
  const last = useRef('')
  const chosen = new Set(keys.filter((key) => marked.has(key)))
  const choose = (key: string, range: boolean) => {
    const [from, to] = [keys.indexOf(last.current ?? ''), keys.indexOf(key)].sort((a, b) => a - b)
    const between = range && from !== undefined && from >= 0 ? keys.slice(from, (to ?? 0) + 1) : [key]
    const on = !chosen.has(key)
    last.current = key
    mark(new Set(on ? [...chosen, ...between] : [...chosen].filter((one) => !between.includes(one))))
  }
  return { chosen, choose, chooseAll: (on) => mark(new Set(on ? keys : [])) }
}
