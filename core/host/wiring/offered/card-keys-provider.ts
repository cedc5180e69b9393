import { Identity, Network } from '../../../internal-services.ts';
import { provider } from '../../../provider.ts';
import { CardKeys, Clock } from '../../../services.ts';

const KEY_LENGTH = 32;
/** Seconds for which a card key may be certified: a lost one is of use to a thief no longer. */
const LONGEST = 90 * 86_400;

/** Lets plugins sign agent cards with keys that this agent vouches for. */
export const cardKeysProvider = provider(CardKeys, {
  uses: { identity: Identity, network: Network, clock: Clock },
  open: ({ identity, network, clock }): CardKeys => ({
    certify(cardKey, notAfter) {
      if (cardKey.length !== KEY_LENGTH)
        throw new RangeError(`a card key is ${KEY_LENGTH} bytes, not ${cardKey.length}`);
      const now = Math.floor(clock.now() / 1000);
      if (!(Number.isSafeInteger(notAfter) && notAfter > now && notAfter <= now + LONGEST))
        throw new RangeError('a card key is certified for at most 90 days from now');
      return identity.signDomain('card/1', network, { card_key: cardKey, not_after: notAfter });
    },
  }),
});
