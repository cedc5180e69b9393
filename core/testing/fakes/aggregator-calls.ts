import type { AggregatorCall, AggregatorCalls, AggregatorPost, AggregatorRead } from '../../services.ts';

/** A `call`, with the aggregator it went to. */
export type CalledAggregator = AggregatorCall & { readonly url: string };

export interface FakeAggregatorCalls {
  readonly service: AggregatorCalls;
  /** Every call, oldest first. */
  readonly calls: readonly (AggregatorPost | AggregatorRead | CalledAggregator)[];
}

/** `value(AggregatorCalls, fakeAggregatorCalls(answer).service)`: `answer` gives the JSON of each call, or throws. */
export function fakeAggregatorCalls(
  answer: (call: AggregatorPost | AggregatorRead | CalledAggregator) => unknown = () => ({}),
  urls: readonly string[] = ['https://aggregator.example'],
): FakeAggregatorCalls {
  const calls: (AggregatorPost | AggregatorRead | CalledAggregator)[] = [];
  return {
    calls,
    service: {
      urls,
      async get(read) {
        calls.push(read);
        return answer(read);
      },
      async post(call) {
        calls.push(call);
        return answer(call);
      },
      async call(url, call) {
        calls.push({ ...call, url });
        return { status: 200, body: answer({ ...call, url }) };
      },
    },
  };
}
