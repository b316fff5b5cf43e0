/** The clock: its control, and all scheduled jobs. */
import { ClockControl, JobList } from '../parts/clock-control.js'
import { Empty, Head, Loaded, Panel } from '../parts/layout.js'
import { clockTopics } from '../store/clock.js'
import { useQuery } from '../store/query.js'

/** The first jobs that are shown. */
const shownJobs = 100

export const ClockView = () => {
  const jobs = useQuery('GET /clock/jobs', { query: { limit: shownJobs } }, clockTopics)
  return (
    <>
      <Head title="Clock" />
      <div class="columns">
        <Panel title="Advance the clock">
          <ClockControl />
        </Panel>
        <Panel title="Scheduled jobs">
          <Loaded of={jobs}>
            {({ data, next }) =>
              data.length === 0 ? (
                <Empty title="No job is scheduled">
                  Expiries, settlements, deadlines, retries and scenarios appear here before they happen.
                </Empty>
              ) : (
                <>
                  <JobList rows={data} />
                  {next === null ? null : <p class="faint">The first {shownJobs} are shown.</p>}
                </>
              )
            }
          </Loaded>
        </Panel>
      </div>
    </>
  )
}
