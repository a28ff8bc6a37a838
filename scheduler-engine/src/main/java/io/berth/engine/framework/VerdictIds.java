package io.berth.engine.framework;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The numbers of a filter's verdicts, by which they are stored for each node. */
final class VerdictIds {
  private final List<Verdict> verdicts = new ArrayList<>();
  private final Map<Verdict, Integer> ids = new HashMap<>();
  private long bytes;

  /** Creates numbers with only {@link NodeFilter#PASSES}. */
  VerdictIds() {
    verdicts.add(Verdict.unschedulable("passes"));
  }

  /**
   * Returns the number of a verdict, which is a new one at the first call.
   *
   * @throws IllegalStateException if there are more verdicts than a {@code short} can number
   */
  int idOf(Verdict verdict) {
    Integer known = ids.get(verdict);
    if (known != null) {
      return known;
    }
    int id = verdicts.size();
    if (id > Short.MAX_VALUE) {
      throw new IllegalStateException("too many different verdicts, the last: " + verdict);
    }
    verdicts.add(verdict);
    ids.put(verdict, id);
    bytes += 250;
    for (String reason : verdict.reasons()) {
      bytes += 60 + reason.length();
    }
    return id;
  }

  Verdict verdict(int id) {
    return verdicts.get(id);
  }

  /** Returns the largest number plus one. */
  int size() {
    return verdicts.size();
  }

  /** Returns the memory of the verdicts, in bytes. */
  long bytes() {
    return bytes;
  }
}
