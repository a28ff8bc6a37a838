package io.berth.engine.state;

import io.berth.engine.journal.Journal;
import io.berth.engine.model.PodVolume;
import io.berth.engine.volume.StorageTable;
import java.util.List;
import java.util.Optional;

/** Counts the placed pods that use each claim for a volume. */
final class UsedClaims implements Allocator {
  private final Journal journal;
  private final StorageTable storage;

  UsedClaims(Journal journal, StorageTable storage) {
    this.journal = journal;
    this.storage = storage;
  }

  private record Uses(UsedClaims table, String namespace, List<PodVolume> volumes)
      implements Holding {
    @Override
    public void take() {
      table.count(this, 1);
    }

    @Override
    public void giveBack() {
      table.count(this, -1);
    }
  }

  private void count(Uses uses, int delta) {
    storage.countClaims(uses.namespace(), uses.volumes(), delta);
    journal.record(() -> storage.countClaims(uses.namespace(), uses.volumes(), -delta));
  }

  @Override
  public Scope scope() {
    return Scope.NODE;
  }

  @Override
  public Optional<Holding> choose(PodEntry pod, int slot) {
    List<PodVolume> volumes = pod.spec().volumes();
    return volumes.isEmpty()
        ? Optional.empty()
        : Optional.of(new Uses(this, pod.ref().namespace(), volumes));
  }
}
