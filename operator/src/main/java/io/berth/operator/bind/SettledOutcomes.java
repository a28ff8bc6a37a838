package io.berth.operator.bind;

import io.berth.engine.api.Decision.Placed;
import java.time.Duration;

/**
 * Passes results on, but a failure only when nothing of the placement can be written any more.
 *
 * @param preparation knows what has been written
 */
record SettledOutcomes(BindingOutcomes to, VolumePreparation preparation)
    implements BindingOutcomes {
  @Override
  public void prepared(Placed placed) {
    to.prepared(placed);
  }

  @Override
  public void bound(Placed placed, Duration took) {
    preparation.bound(placed);
    to.bound(placed, took);
  }

  @Override
  public void failed(Placed placed, String reason, boolean retry) {
    preparation.settle(placed, () -> to.failed(placed, reason, retry));
  }

  @Override
  public void hasRoomAgain() {
    to.hasRoomAgain();
  }
}
