/** Score version 1 told epoch by epoch over every single rating: slow, and plain enough to check by reading. */
export class Oracle {
  epoch: number;
  active: number;
  readonly ratings: { cluster: string; score: number; weight: number }[] = [];
  readonly abandoned: { score: number; weight: number }[] = [];

  constructor(epoch: number) {
    this.epoch = epoch;
    this.active = epoch;
  }

  advance(to: number) {
    while (this.epoch < to) {
      this.epoch += 1;
      for (const item of [...this.ratings, ...this.abandoned]) item.weight *= 0.5 ** (1 / 90);
      const idle = this.epoch - this.active > 6 && this.mean() > 0;
      if (idle) for (const item of [...this.ratings, ...this.abandoned]) item.score *= 0.95;
    }
  }

  rate(cluster: string, score: number, weight: number, epoch: number) {
    this.ratings.push({ cluster, score, weight: weight * 0.5 ** ((this.epoch - epoch) / 90) });
    this.active = Math.max(this.active, epoch);
  }

  abandon(epoch: number) {
    this.abandoned.push({ score: -50, weight: 0.5 ** ((this.epoch - epoch) / 90) });
  }

  touch() {
    this.active = this.epoch;
  }

  changeKey() {
    for (const { cluster, value } of this.opinions())
      if (value > 0) for (const rating of this.ratings.filter((one) => one.cluster === cluster)) rating.weight /= 2;
  }

  opinions(): { cluster: string; value: number; weight: number }[] {
    return [...new Set(this.ratings.map((rating) => rating.cluster))].map((cluster) => {
      const own = this.ratings.filter((rating) => rating.cluster === cluster);
      const weight = own.reduce((sum, rating) => sum + rating.weight, 0);
      const sum = own.reduce((total, rating) => total + rating.weight * rating.score, 0);
      return { cluster, value: weight > 0 ? sum / weight : 0, weight: Math.max(...own.map((rating) => rating.weight)) };
    });
  }

  weight(): number {
    return [...this.opinions(), ...this.abandoned].reduce((sum, item) => sum + item.weight, 0);
  }

  mean(): number {
    const opinions = this.opinions().reduce((sum, opinion) => sum + opinion.value * opinion.weight, 0);
    const total = this.abandoned.reduce((sum, item) => sum + item.score * item.weight, opinions);
    return total / (5 + this.weight());
  }
}
