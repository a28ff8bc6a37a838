package io.berth.engine.state;

import io.berth.engine.model.PodDevices;
import io.berth.engine.model.PodSpec;
import io.berth.engine.model.PodVolume;
import io.berth.engine.selector.Matchers;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The specs of known pods and cached plans. Each is stored once, as long as it is in use. */
final class SharedSpecs {
  private final Matchers matchers;
  private final Map<SharedSpec.Key, SharedSpec> specs = new HashMap<>();

  SharedSpecs(Matchers matchers) {
    this.matchers = matchers;
  }

  /** Returns the number of distinct specs. */
  int size() {
    return specs.size();
  }

  /** Returns the shared form of a spec; every call requires one {@link #release}. */
  SharedSpec acquire(String namespace, PodSpec spec) {
    SharedSpec.Key key = new SharedSpec.Key(namespace, spec);
    SharedSpec shared = specs.get(key);
    if (shared == null) {
      shared = SharedSpec.compile(key, matchers);
      specs.put(key, shared);
      if (spec.nodes().pinnedNode().isPresent() && spec.spread().isEmpty()) {
        PodSpec unpinned = spec.withoutPinnedNode();
        shared.unpinned = acquire(namespace, unpinned);
      }
    }
    shared.uses++;
    return shared;
  }

  /**
   * Returns the same spec with descriptions of volumes and devices. It exists as long as the
   * original, or until this method is called with different ones; to use it for longer, retain it.
   */
  SharedSpec described(SharedSpec spec, List<PodVolume> volumes, PodDevices devices) {
    SharedSpec known = spec.described;
    if (known != null
        && known.spec().volumes().equals(volumes)
        && known.spec().devices().equals(devices)) {
      return known;
    }
    SharedSpec other = acquire(spec.namespace(), spec.spec().with(volumes, devices));
    spec.described = other;
    if (known != null) {
      release(known);
    }
    return other;
  }

  /** Releases one use of a spec. */
  void release(SharedSpec spec) {
    if (--spec.uses == 0) {
      specs.remove(spec.key());
      spec.release(matchers);
      releaseIfPresent(spec.unpinned);
      releaseIfPresent(spec.described);
    }
  }

  private void releaseIfPresent(@Nullable SharedSpec spec) {
    if (spec != null) {
      release(spec);
    }
  }
}
