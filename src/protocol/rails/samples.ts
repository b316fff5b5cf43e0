/** Who pays and where money goes in an ordinary operation of each rail: for forms to be filled in with. */
import { type CurrencyRow, type Network, networks } from '../platform/currencies.js'

type Fields = Readonly<Record<string, string>>

interface Sample {
  /** The fields of a withdrawal that say where it goes. */
  destination: (network: Network | undefined) => Fields
  /** Who pays a charge, where the rail asks for it. */
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
