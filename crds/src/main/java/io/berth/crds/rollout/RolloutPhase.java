package io.berth.crds.rollout;

import com.fasterxml.jackson.annotation.JsonProperty;

/** The state of a rollout. */
public enum RolloutPhase {
  /** The changed spec applies to a part of the workloads. */
  @JsonProperty("Progressing")
  PROGRESSING("Progressing"),

  /** The rollout stays at its current step because spec.rollout.paused is set. */
  @JsonProperty("Paused")
  PAUSED("Paused"),

  /** The spec applies to all workloads. */
  @JsonProperty("Complete")
  COMPLETE("Complete"),

  /** The changed spec exceeded a limit of abortWhen, and applies to no workload. */
  @JsonProperty("Aborted")
  ABORTED("Aborted");

  private final String text;

  RolloutPhase(String text) {
    this.text = text;
  }

  /** Returns the phase as it is written in a status. */
  public String text() {
    return text;
  }
}
