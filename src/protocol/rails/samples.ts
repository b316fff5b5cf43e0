/** A sample payer and payee for each rail, to fill in forms. */
import { type CurrencyRow, type Network, networks } from '../platform/currencies.js'

type Fields = Readonly<Record<string, string>>

interface Sample {
  /** The destination fields of a withdrawal. */
  destination: (network: Network | undefined) => Fields
  /** The payer of a charge, if the rail requires one. */
  payer: Fields
}

export const samples: Record<CurrencyRow['rail'], Sample> = {
  pix: {
    destination: () => ({ key: 'ana@example.com', key_type: 'email' }),
    payer: { 'payer.name': 'Ana Souza', 'payer.document': '52998224725' },
  },
  spei: { destination: () => ({ key: '032180000118359719', name: 'Ana Souza' }), payer: {} },
  chain: {
    destination: (network) => (network === undefined ? {} : { network, key: networks[network].sample }),
    payer: {},
  },
}
