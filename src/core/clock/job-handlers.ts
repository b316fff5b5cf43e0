/** What each kind of job does when its moment comes; deliveries go to the dispatcher instead. */

import type { JobKind } from '../../protocol/control/clock.js'
import type { Job } from '../jobs/jobs.js'
import { expire } from '../operations/cashin.js'
import { settleByItself } from '../operations/cashout.js'
import { deadlinePassed } from '../operations/dispute.js'
import { requireDispute } from '../operations/disputes.js'
import { requireTransaction } from '../operations/transactions.js'
import { continueRun } from '../scenarios/runner.js'
import type { Unit } from '../unit/unit.js'

export const jobHandlers: Record<Exclude<JobKind, 'deliver'>, (unit: Unit, job: Job) => void> = {
  expire: (unit, job) => void expire(unit, requireTransaction(unit.db, 'cashin', job.ref)),
  settle: (unit, job) => void settleByItself(unit, requireTransaction(unit.db, 'cashout', job.ref)),
  deadline: (unit, job) => void deadlinePassed(unit, requireDispute(unit.db, job.ref)),
  scenario: (unit, job) => continueRun(unit, job.ref),
}
