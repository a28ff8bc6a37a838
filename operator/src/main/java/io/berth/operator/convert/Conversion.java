package io.berth.operator.convert;

import java.util.List;

/**
 * Result of converting one file.
 *
 * @param policies a SchedulingPolicy for each profile
 * @param lost the settings in the file that no policy supports, with their places in the file
 * @param notes what the file says that needs no equivalent
 */
public record Conversion(List<ConvertedPolicy> policies, List<String> lost, List<String> notes) {

  public Conversion {
    policies = List.copyOf(policies);
    lost = List.copyOf(lost);
    notes = List.copyOf(notes);
  }

  /** Returns whether the policies do all that the file asked for. */
  public boolean isComplete() {
    return lost.isEmpty();
  }
}
