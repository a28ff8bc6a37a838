package io.berth.operator.load;

import java.util.List;
import java.util.function.Consumer;

/** A place where the usage of nodes is measured. */
interface UsageSource {

  /** The result of a reading. */
  sealed interface Reading {
    /** Measurements, one for each node. */
    record Read(List<Measurement> measurements) implements Reading {
      public Read {
        measurements = List.copyOf(measurements);
      }
    }

    /**
     * Nothing could be read.
     *
     * @param reason what the source answered, and what to do
     */
    record Failed(String reason) implements Reading {}
  }

  /** Reads all measurements. The callback is called once, on any thread. */
  void read(Consumer<Reading> then);
}
