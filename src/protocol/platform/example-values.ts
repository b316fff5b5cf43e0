/** Ids and moments that examples share, so that they fit together. */
export const exampleAt = '2026-11-21T12:00:00.000-03:00'
export const exampleAtUtc = '2026-11-21T15:00:00.000Z'
export const exampleChargeId = 'tx_0000001egshtftq4r552'
export const exampleE2eId = 'E12345678202611211500WZzgnd0FpHX'
export const exampleInfractionId = '3b7b1478-2487-4cb2-b9bd-9f79efd59f5b'
