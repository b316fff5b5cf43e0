/** A view of the dashboard and its place in the navigation. */
import type { FC } from 'hono/jsx/dom'
import type { IconName } from '../parts/icon.js'
import type { Route } from '../store/route.js'

/** Groups of the navigation, in their order. */
export const groups = ['Money', 'Integration', 'Sandbox'] as const

interface Shown {
  group: (typeof groups)[number]
  label: string
  /** After g, opens the view. */
  key: string
  icon: IconName
}

export interface View {
  view: FC<{ route: Route; id: string }>
  /** Its place in the navigation, or the path of the view that is highlighted instead. */
  place: Shown | string
}
