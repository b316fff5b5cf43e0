/** What each kind of job does when it is due; deliveries go to the dispatcher instead. */

import type { JobKind } from '../../protocol/control/job-kinds.js'
import type { Job } from '../jobs/jobs.js'
import { expire } from '../operations/cashin.js'
import { settleAutomatically } from '../operations/cashout.js'
import { decideAtDeadline } from '../operations/dispute.js'
import { requireDispute } from '../operations/disputes.js'
import { requireTransaction } from '../operations/transactions.js'
import { continueRun } from '../scenarios/runner.js'
import type { Unit } from '../unit/unit.js'

export const jobHandlers: Record<Exclude<JobKind, 'deliver'>, (unit: Unit, job: Job) => void> = {
  expire: (unit, job) => void expire(unit, requireTransaction(unit.db, 'cashin', job.ref)),
  settle: (unit, job) => void settleAutomatically(unit, requireTransaction(unit.db, 'cashout', job.ref)),
  deadline: (unit, job) => void decideAtDeadline(unit, requireDispute(unit.db, job.ref)),
  scenario: (unit, job) => continueRun(unit, job.ref),
}
