/**
 * Creates the elements of all pages, in place of the framework's `jsx-runtime`. It is the one place that translates what
 * a person reads: texts between tags, and attributes that are shown or read out. Code, what users typed, and elements
 * with `translate="no"` stay as they are.
 */
import { jsxDEV as create, Fragment } from 'hono/jsx/dom/jsx-dev-runtime'
import { language, t } from './language.js'

const verbatim: readonly unknown[] = ['code', 'pre', 'kbd', 'bdi', 'textarea']
const readAttributes: readonly string[] = ['aria-label', 'title', 'placeholder']

type Create = typeof create
type Props = Parameters<Create>[1]

const translated = (value: unknown): unknown =>
  typeof value === 'string' ? t(value) : Array.isArray(value) ? value.map(translated) : value

export function jsx(tag: Parameters<Create>[0], props: Props, key?: string): ReturnType<Create> {
  const isRead = tag === Fragment || (typeof tag === 'string' && !verbatim.includes(tag) && props.translate !== 'no')
  if (language === 'en' || !isRead) return create(tag, props, key)
  const own = Object.entries(props).map(([name, value]) =>
    name === 'children' || readAttributes.includes(name) ? [name, translated(value)] : [name, value],
  )
  return create(tag, Object.fromEntries(own), key)
}

export { Fragment, jsx as jsxs }
