/** The settings that the sandbox was started with: what differs from the defaults, then all others. */
import type { SettingState } from '../../client/types/control.js'
import { Empty, Head, Loaded, Panel } from '../parts/layout.js'
import { Table, type TableSpec } from '../parts/table.js'
import { Prose, WrappedText } from '../parts/text.js'
import { useQuery } from '../store/query.js'

export const SettingsView = () => (
  <>
    <Head title="Settings" />
    <Loaded of={useQuery('GET /settings', {}, ['workspace'])}>
      {({ data }) => {
        const changed = data.filter((row) => !row.is_default)
        return (
          <>
            <Panel title="Changed" flush={changed.length > 0}>
              {changed.length > 0 ? (
                <Table {...table('Changed settings', 'Value')} rows={changed} />
              ) : (
                <Empty title="All settings have their defaults">
                  Set others at the start: by an option of the command line, a variable of the environment, or a
                  configuration file.
                </Empty>
              )}
            </Panel>
            <Panel title="Defaults" flush>
              <Table
                {...table('Settings with their defaults', 'Default')}
                rows={data.filter((row) => row.is_default)}
              />
            </Panel>
          </>
        )
      }}
    </Loaded>
  </>
)

const table = (label: string, value: string): TableSpec<SettingState> => ({
  label,
  keyOf: ({ name }) => name,
  columns: [
    {
      name: 'Setting',
      card: 'title',
      cell: ({ name, flag, title }) => (
        <>
          <Prose text={title} />
          <br />
          <code class="faint small">{flag ?? name}</code>
        </>
      ),
    },
    {
      name: value,
      card: 'sub',
      cell: (row) =>
        row.is_default ? <Prose text={row.default} /> : <WrappedText>{row.value ?? 'A table'}</WrappedText>,
    },
  ],
})
