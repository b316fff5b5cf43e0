/** Filters and pages of a list. Both are part of the address: a link opens the same rows, and Back returns to them. */
import type { Child } from 'hono/jsx/dom'
import { fieldAt } from '../../base/unknown.js'
import type { Failure } from '../api.js'
import { sentence } from '../format.js'
import { t } from '../language.js'
import { typedIn, useLayoutEffect, useState } from '../store/hooks.js'
import { type Filter, useAccounts } from '../store/query.js'
import { go, link, type Route, refine } from '../store/route.js'
import { Icon, Input, Select } from './forms/controls.js'
import { WrappedText } from './text.js'

/** The filters and page of a view as query parameters. The cursors of newer pages and the shown message stay in the address. */
export function queryOf(route: Route): Record<string, string> {
  const { trail: _trail, message: _message, ...query }: Record<string, string> = Object.fromEntries(route.query)
  return query
}

export const isFiltered = (route: Route): boolean =>
  [...route.query.keys()].some((key) => !['after', 'trail', 'message'].includes(key))

/** Pause after typing before a filter applies. */
const typingPauseMs = 250

interface FiltersProps {
  route: Route
  filters: readonly Filter[]
  /** The number of rows of a choice as text; without one, the number of all rows. Null: not shown. */
  count?: (filter: string, choice?: string) => string | null
  /** Their values are suggested. */
  rows?: readonly unknown[]
}

/** Choosing a filter adds a history entry, typing replaces the current one. */
export const Filters = ({ route, filters, count = () => null, rows = [] }: FiltersProps) => {
  /** What the address does not have yet. */
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const { after: _after, ...query } = { ...queryOf(route), ...typed }
  const hrefOf = (more: Record<string, string>) => link(...route.parts, { ...query, ...more })
  const chips = filters.filter((filter) => filter.chips === true)
  /** The address first: a field would show its old text in between. */
  const apply = (href: string, move = go) => {
    move(href)
    setTyped({})
  }
  useLayoutEffect(() => {
    const isHalfTyped = filters.some(({ name, date }) => date && /^.{1,9}$/.test(typed[name] ?? ''))
    if (isHalfTyped || Object.keys(typed).length === 0) return undefined
    const timer = setTimeout(() => apply(link(...route.parts, query), refine), typingPauseMs)
    return () => clearTimeout(timer)
  }, [typed, route.query.toString()])
  const given = (name: string) => query[name] ?? ''
  const type = (name: string, text: string) => setTyped((before) => ({ ...before, [name]: text }))
  const choose = (name: string, value: string) => apply(hrefOf({ [name]: value }))
  return (
    <search class="filters">
      {chips.length === 0 ? null : <Chips {...{ filters: chips, given, hrefOf, count }} />}
      <div class="row">
        {filters
          .filter((filter) => filter.chips !== true)
          .map((filter) => {
            const Field = filter.name === 'account' ? AccountField : FilterField
            return <Field key={filter.name} {...{ filter, rows, type, choose }} value={given(filter.name)} />
          })}
        {isFiltered(route) ? (
          <button type="button" class="quiet" onClick={() => apply(link(...route.parts))}>
            Clear filters
          </button>
        ) : null}
      </div>
    </search>
  )
}

interface ChipsProps extends Required<Pick<FiltersProps, 'filters' | 'count'>> {
  given: (name: string) => string
  hrefOf: (query: Record<string, string>) => string
}

/** One is chosen at a time, so the first of them stands for all rows of every filter. */
const Chips = ({ filters, given, hrefOf, count }: ChipsProps) => {
  const unset = Object.fromEntries(filters.map(({ name }) => [name, '']))
  const isUnset = filters.every(({ name }) => given(name) === '')
  return (
    <nav class="chips" aria-label={filters[0]?.label}>
      {filters.flatMap(({ name, choices = [], base = '', words = sentence, also, worry }, index) =>
        [...(index === 0 && base === '' ? [''] : []), ...choices].map((choice) => {
          const rows = count(name, choice === '' ? undefined : choice)
          const isChosen = choice === '' ? isUnset : choice === (given(name) || base)
          return (
            <a
              key={choice}
              class={`chip${rows === '0' ? ' none-left' : choice === worry && rows !== '–' ? ' worry' : ''}`}
              href={hrefOf({ ...unset, ...(choice === '' ? {} : also), [name]: choice })}
              aria-current={isChosen ? 'true' : undefined}
            >
              {words(choice === '' ? 'all' : choice)} {rows === null ? null : <span class="num">{rows}</span>}
            </a>
          )
        }),
      )}
    </nav>
  )
}

interface FilterFieldProps {
  filter: Filter
  value: string
  type: (name: string, text: string) => void
  choose: (name: string, value: string) => void
  rows?: readonly unknown[]
  /** The choices are not known yet. */
  disabled?: boolean
}

/** More accounts than these are typed. */
const listedAccounts = 50

/** The known accounts, and the one that the address names. */
const AccountField = ({ filter, ...field }: FilterFieldProps) => {
  const { value } = field
  const { data } = useAccounts()
  const known = (data?.data ?? []).map(({ username }) => username)
  const choices = known.includes(value) || value === '' ? known : [...known, value]
  const listed = data === undefined || (known.length > 0 && known.length <= listedAccounts)
  return <FilterField {...field} filter={listed ? { ...filter, choices } : filter} disabled={data === undefined} />
}

/** The values that the rows have for a filter. A path is compared without its query. */
const suggestionsOf = (rows: readonly unknown[], name: string): string[] => {
  const values = rows
    .map((row) => fieldAt(row, name))
    .filter((one) => typeof one === 'string' || typeof one === 'number')
    .map((one) => (name === 'path' ? String(one).split('?')[0] : String(one)))
  return [...new Set(values)].flatMap((one) => one || [])
}

/** Whether it is typed. An account is chosen, too. */
const isTyped = ({ name, choices, date }: Filter) => choices === undefined && date !== true && name !== 'account'

/** Whether the API refuses a typed value, such as a status `4xx`: no row has it. */
export const isRefused = (filters: readonly Filter[], error: Failure | undefined): boolean =>
  error?.status === 422 && filters.some((filter) => isTyped(filter) && filter.name === error.details.field)

/** Values that are offered for a filter that finds nothing. */
const offeredValues = 6

interface OffersProps {
  route: Route
  filters: readonly Filter[]
  /** The newest ones, without filters. */
  rows: readonly unknown[]
}

/** What is typed is compared as a whole. The values of rows are offered instead, first those that contain it. */
export const Offers = ({ route, filters, rows }: OffersProps) => {
  const query = queryOf(route)
  return filters.filter(isTyped).map(({ name, label }) => {
    const value = query[name]?.trim() ?? ''
    const known = suggestionsOf(rows, name).filter((one) => one !== value)
    const close = known.filter((one) => one.toLowerCase().includes(value.toLowerCase()))
    return value === '' ? null : (
      <p key={name} class="row">
        {t`${t(label)} must match exactly: “${value}”`} {known.length === 0 ? null : 'Latest values:'}
        {(close.length > 0 ? close : known).slice(0, offeredValues).map((one) => (
          <a key={one} class="chip" href={link(...route.parts, { ...query, [name]: one })}>
            <WrappedText clamp>{one}</WrappedText>
          </a>
        ))}
      </p>
    )
  })
}

const FilterField = ({ filter, value, type, choose, rows = [], disabled = false }: FilterFieldProps) => {
  const { name, label, choices, date = false, words = String } = filter
  return (
    <label for={`filter-${name}`} class={`chip field-chip${value === '' ? '' : ' set'}`}>
      <span class={date ? '' : 'visually-hidden'}>{label}</span>
      {choices === undefined ? (
        <>
          <Input
            id={`filter-${name}`}
            type="search"
            value={value}
            placeholder={date ? 'YYYY-MM-DD' : label}
            list={`values-${name}`}
            spellcheck={false}
            onInput={(event: Event) => type(name, typedIn(event))}
          />
          <datalist id={`values-${name}`}>
            {suggestionsOf(rows, name).map((one) => (
              <option key={one} value={one} />
            ))}
          </datalist>
        </>
      ) : (
        <Select
          id={`filter-${name}`}
          value={value}
          choices={[
            ['', t`Any ${t(label).toLowerCase()}`],
            ...choices.map((choice) => [choice, words(choice)] as const),
          ]}
          choose={(chosen) => choose(name, chosen)}
          disabled={disabled}
        />
      )}
    </label>
  )
}

/** `25 of 434`; without other rows, or if their number is not known, `25 rows`. */
export const rowsText = (count: number, total = ''): string =>
  /^\d/.test(total) && total !== String(count) ? t`${count} of ${total}` : count === 1 ? t('1 row') : t`${count} rows`

/** `next` is the cursor of the older page; the address has the cursors of the newer ones. The children say how many rows there are. */
export const Pager = ({ route, next, children }: { route: Route; next: string | null; children: Child }) => {
  const { after, ...query } = queryOf(route)
  const trail = (route.query.get('trail') ?? '').split('.').filter((cursor) => cursor !== '')
  const page = (cursor: string | undefined, before: readonly string[]) =>
    link(...route.parts, { ...query, after: cursor, trail: before.join('.') })
  return (
    // The deposits of a wallet can stand beside the list of all wallets.
    <nav class="pager" aria-label={[t('Pages'), ...route.parts.slice(1)].join(' ')}>
      <span class="faint num">{children}</span>
      <span class="row push">
        {after === undefined ? null : (
          <>
            <a href={page(undefined, [])}>
              <Icon name="top" /> Newest
            </a>
            <a href={page(trail.at(-1), trail.slice(0, -1))}>
              <Icon name="back" /> Newer
            </a>
          </>
        )}
      </span>
      {next === null ? (
        <span class="faint">End of list</span>
      ) : (
        <a href={page(next, after === undefined ? [] : [...trail, after])}>
          Older <Icon name="call" />
        </a>
      )}
    </nav>
  )
}
