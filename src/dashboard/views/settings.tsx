/** The settings that the sandbox was started with, by group: what differs from the defaults comes first. */
import type { FC } from 'hono/jsx/dom'
import type { SettingState } from '../../client/types/control.js'
import { baseUrl } from '../api.js'
import { Id } from '../parts/copy.js'
import { Filters } from '../parts/filters.js'
import { Empty, Head, Loaded, Panel } from '../parts/layout.js'
import { Table, type TableSpec } from '../parts/table.js'
import { Pill, Prose, WrappedText } from '../parts/text.js'
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
        const found = data.filter((row) => matches(row, route.query.get('text') ?? ''))
        return found.length > 0 ? (
          groups.map((group) => <Group key={group.title} {...group} found={found} />)
        ) : (
          <Empty title="No setting matches">Enter other words, or clear the filter.</Empty>
        )
      }}
    </Loaded>
  </>
)

function matches({ name, title, default_text: text, flag, variable, value }: SettingState, words: string): boolean {
  const all = [name, title, text, flag, variable, valueText({ flag, value })].join('\n').toLowerCase()
  return all.includes(words.toLowerCase())
}

/** A switch with its option, because `--no-…` turns it off. */
function valueText({ flag, value }: Pick<SettingState, 'flag' | 'value'>): string {
  if (typeof value === 'boolean') return `${value ? 'on' : 'off'} (${flag})`
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

interface GroupProps {
  title: string
  isAssumption: boolean
  found: readonly SettingState[]
}

const Group = ({ title, isAssumption, found }: GroupProps) => {
  const rows = found
    .filter((row) => row.is_assumption === isAssumption)
    .sort((one, other) => Number(one.is_default) - Number(other.is_default))
  return rows.length === 0 ? null : (
    <Panel title={title} flush>
      <Table {...table} label={title} rows={rows} />
    </Panel>
  )
}

/** Sections of the page of the API, which lists what `docs/assumptions.md` does. */
const sections: readonly (readonly [title: string, id: string])[] = [
  ['"Currencies', 'limits-and-fees'],
  ['"Error codes', 'errors'],
]

const DefaultText = ({ text }: { text: string }) => {
  const [before = '', after] = text.split('docs/assumptions.md')
  const section = sections.find(([title]) => before.includes(title))?.[1] ?? 'assumptions'
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

/** What to copy to set it: an option or a variable, otherwise a key of the configuration file. */
const HowToSet = ({ name, flag, variable }: SettingState) =>
  flag === null || variable === null ? (
    <span class="row small faint setting">
      <Id id={name} noun={`the key ${name}`} /> in <code>--config FILE</code>
    </span>
  ) : (
    <div class="small faint setting">
      <Id id={flag} noun={flag} />
      <br />
      <Id id={variable} noun={variable} />
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
        <div>
          <Prose text={row.title} />
          <HowToSet {...row} />
        </div>
      ),
    },
    {
      name: 'Value',
      card: 'sub',
      cell: ({ flag, value, is_default: isDefault, default_text: text }) =>
        isDefault ? (
          <DefaultText text={text} />
        ) : (
          <div>
            <strong>
              <WrappedText>{valueText({ flag, value })}</WrappedText>
            </strong>{' '}
            <Pill status="changed" tone="info" />
            <br />
            <span class="faint small">
              Default: <DefaultText text={text} />
            </span>
          </div>
        ),
    },
  ],
}
