/** The settings by group, what differs from the defaults first: value, default, where the value came from, and what to copy to set it. */
import type { FC } from 'hono/jsx/dom'
import type { SettingState } from '../../client/types/control.js'
import { baseUrl } from '../api.js'
import { t } from '../language.js'
import { Filters } from '../parts/filters.js'
import { Details } from '../parts/forms/controls.js'
import { Empty, Head, Loaded, Panel } from '../parts/layout.js'
import { Table, type TableSpec } from '../parts/table.js'
import { CopyButton, Id, None, Pill, Prose, WrappedText } from '../parts/text.js'
import { useQuery } from '../store/query.js'
import type { Route } from '../store/route.js'

const groups = [
  { title: 'Settings of the sandbox', isAssumption: false },
  { title: 'Assumptions about the platform', isAssumption: true },
] as const

export const SettingsView: FC<{ route: Route }> = ({ route }) => (
  <>
    <Head title="Settings" />
    <p class="faint">
      Settings are fixed when the sandbox starts. To change one, start the sandbox again with its option, its
      environment variable, or its key in a configuration file. Clock, chaos and accounts can be changed while it runs.
    </p>
    <Filters route={route} filters={[{ name: 'text', label: 'Search settings' }]} />
    <Loaded of={useQuery('GET /settings', {}, ['workspace'])}>
      {({ data }) => {
        const words = route.query.get('text') ?? ''
        const found = data.filter((row) => matches(row, words))
        return found.length > 0 ? (
          groups.map((group) => <Group key={group.title} {...group} found={found} isSearch={words !== ''} />)
        ) : (
          <Empty title="No setting matches">Enter other words, or clear the filter.</Empty>
        )
      }}
    </Loaded>
  </>
)

function matches({ name, title, default_text: text, flag, variable, value }: SettingState, words: string): boolean {
  const all = [name, t(title), t(text), flag, variable, lineText(value)].join('\n').toLowerCase()
  return all.includes(words.toLowerCase())
}

/** A value as a configuration file writes it. JSON is YAML. */
const lineText = (value: unknown): string =>
  typeof value === 'string' && /^[\w./:-]+$/.test(value) && /[a-z/]/i.test(value) && !/^(true|false|null)$/.test(value)
    ? value
    : JSON.stringify(value)

/** Whether the column of defaults says it already. */
const isShownBy = ({ default: value, default_text: text }: SettingState) =>
  ['none', plainText(value)].includes(text.replaceAll('`', ''))

const plainText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const Value = ({ value }: { value: unknown }) => {
  const text = plainText(value)
  return ['null', '[]', '{}'].includes(text) ? (
    <None />
  ) : (
    <code title={text}>
      <WrappedText clamp>{text}</WrappedText>
    </code>
  )
}

type GroupProps = (typeof groups)[number] & { found: readonly SettingState[]; isSearch: boolean }

/** Most assumptions have their default: those are folded unless they are searched for. */
const Group = ({ title, isAssumption, found, isSearch }: GroupProps) => {
  const rows = found
    .filter((row) => row.is_assumption === isAssumption)
    .sort((one, other) => Number(one.is_default) - Number(other.is_default))
  const shown = isAssumption && !isSearch ? rows.filter((row) => !row.is_default) : rows
  const folded = rows.slice(shown.length)
  const foldedText = t`${folded.length} with the default value`
  return rows.length === 0 ? null : (
    <Panel title={title} flush>
      {shown.length === 0 ? null : <Table {...table} label={title} rows={shown} />}
      {folded.length === 0 ? null : (
        <Details summary={foldedText}>{() => <Table {...table} label={foldedText} rows={folded} />}</Details>
      )}
    </Panel>
  )
}

/** Sections of the page of the API, which lists what `docs/assumptions.md` does. */
const sections: readonly (readonly [title: string, id: string])[] = [
  ['"Currencies', 'limits-and-fees'],
  ['"Error codes', 'errors'],
]

const DefaultText = ({ text }: { text: string }) => {
  const [before = '', after] = t(text).split('docs/assumptions.md')
  const section = sections.find(([title]) => text.includes(title))?.[1] ?? 'assumptions'
  return after === undefined ? (
    <Prose text={text} />
  ) : (
    <span>
      <Prose text={before} />
      <a href={`${baseUrl}/_sandbox/docs#${section}`}>the API reference</a>
      <Prose text={after} />
    </span>
  )
}

const sourceWords: Partial<Record<SettingState['source'], string>> = { file: 'configuration file', option: 'library' }

/** What to copy to set it. A secret is not shown, and so not copied. */
const HowToSet = ({ name, flag, variable, value }: SettingState) => (
  <div class="small setting">
    <Details summary={<code>{flag ?? name}</code>}>
      {() => (
        <>
          {[flag, variable].map((text) => (text === null ? null : <Id key={text} id={text} noun={text} />))}
          {value === null || value === '(hidden)' ? (
            <code>{name}</code>
          ) : (
            <span class="id">
              <code>{name}</code>
              <CopyButton text={`${name}: ${lineText(value)}`} noun={t`the line of ${name} for a configuration file`} />
            </span>
          )}
        </>
      )}
    </Details>
  </div>
)

/** One element each, because cells of cards lay out their children in a line. */
const table: Omit<TableSpec<SettingState>, 'label'> = {
  keyOf: ({ name }) => name,
  columns: [
    {
      name: 'Setting',
      card: 'title',
      cell: (row) => (
        <div class="setting-title">
          <Prose text={row.title} />
          {isShownBy(row) ? null : (
            <p class="faint small">
              <DefaultText text={row.default_text} />
            </p>
          )}
        </div>
      ),
    },
    {
      name: 'Value',
      card: 'sub',
      cell: ({ value, is_default: isDefault }) => (
        <span>
          <Value value={value} /> {isDefault ? null : <Pill status="changed" tone="info" />}
        </span>
      ),
    },
    { name: 'Default', spare: 'small', cell: (row) => <Value value={row.default} /> },
    {
      name: 'Set by',
      spare: 'small',
      cell: ({ source }) => <span class="faint">{sourceWords[source] ?? source}</span>,
    },
    { name: 'How to set it', card: 'aside', cell: (row) => <HowToSet {...row} /> },
  ],
}
