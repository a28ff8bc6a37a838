package io.berth.operator.bind;

import io.berth.engine.api.Decision.Placed;

/** A preparation that runs another one as a part of its own. */
public abstract class WrappedPreparation implements VolumePreparation {
  /** The other preparation. */
  protected final VolumePreparation volumes;

  /** Creates a preparation around another one. */
  protected WrappedPreparation(VolumePreparation volumes) {
    this.volumes = volumes;
  }

  @Override
  public void settle(Placed placed, Runnable then) {
    volumes.settle(placed, then);
  }

  @Override
  public void bound(Placed placed) {
    volumes.bound(placed);
  }
}
