package io.berth.operator.convert;

import java.util.List;

/**
 * The result of converting one file.
 *
 * @param policies a SchedulingPolicy for each profile
 * @param lost the settings that no policy supports, with their paths in the file
 * @param notes the settings that need no equivalent, and remarks on others
 */
public record Conversion(List<ConvertedPolicy> policies, List<String> lost, List<String> notes) {

  public Conversion {
    policies = List.copyOf(policies);
    lost = List.copyOf(lost);
    notes = List.copyOf(notes);
  }

  /** Returns whether the policies cover all settings of the file. */
  public boolean isComplete() {
    return lost.isEmpty();
  }
}
