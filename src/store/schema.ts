/** Every table as drizzle knows it, by subject; `tables.ts` creates them. */

export * from './schema-events.js'
export * from './schema-money.js'
export * from './schema-scenarios.js'
export * from './schema-transactions.js'
