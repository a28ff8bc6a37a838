package io.berth.operator.convert;

import java.util.List;

/**
 * The result of converting one file.
 *
 * @param objects a SchedulingPolicy for each profile, or a SchedulingQueue for each queue
 * @param lost the settings that have no equivalent, with their paths in the file
 * @param notes the settings that need no equivalent, and remarks on others
 */
public record Conversion(List<ConvertedObject> objects, List<String> lost, List<String> notes) {

  public Conversion {
    objects = List.copyOf(objects);
    lost = List.copyOf(lost);
    notes = List.copyOf(notes);
  }

  /** Returns whether the objects cover all settings of the file. */
  public boolean isComplete() {
    return lost.isEmpty();
  }
}
