package io.berth.operator.convert;

import io.berth.crds.policy.AlgorithmNames;
import io.berth.crds.schema.NearestName;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;

/**
 * A version of kubescheduler.config.k8s.io, from kube-scheduler 1.17 (v1alpha1) to today. Versions
 * differ in the default weights and in the names of plugins: up to v1beta1, each strategy of
 * NodeResourcesFit was a plugin of its own.
 */
enum ConfigurationVersion {
  V1ALPHA1,
  V1ALPHA2,
  V1BETA1,
  V1BETA2,
  V1BETA3,
  V1;

  private static final String GROUP = "kubescheduler.config.k8s.io/";

  /** Returns the version of a file by its apiVersion. */
  static ConfigurationVersion of(String apiVersion) throws UnconvertibleFileException {
    for (ConfigurationVersion each : values()) {
      if (each.apiVersion().equals(apiVersion)) {
        return each;
      }
    }
    throw new UnconvertibleFileException(
        "its apiVersion is \"%s\", which is none of kube-scheduler's (accepted: %s)"
            .formatted(
                apiVersion,
                NearestName.accepted(
                    apiVersion,
                    Arrays.stream(values()).map(ConfigurationVersion::apiVersion).toList())));
  }

  private String apiVersion() {
    return GROUP + name().toLowerCase(Locale.ROOT);
  }

  /** Returns whether there are profiles; in v1alpha1, the file itself is the only one. */
  boolean hasProfiles() {
    return this != V1ALPHA1;
  }

  /** Returns whether a field of the file, {@code disablePreemption}, disables preemption. */
  boolean disablesPreemption() {
    return compareTo(V1ALPHA2) <= 0;
  }

  /**
   * Returns whether SelectorSpread spread pods without constraints by default, which is a part of
   * PodTopologySpread since 1.20.
   */
  boolean spreadsBySelector() {
    return compareTo(V1ALPHA2) <= 0;
  }

  /** Returns whether a list of default constraints replaces the system's without saying so. */
  boolean impliesListOfConstraints() {
    return compareTo(V1BETA1) <= 0;
  }

  /** Returns whether each strategy of NodeResourcesFit was a score, with one of them enabled. */
  boolean hasScorePerStrategy() {
    return compareTo(V1BETA1) <= 0;
  }

  /** Returns the scores of the default set with their weights, under the names of today. */
  Map<String, Integer> defaultWeights() {
    return compareTo(V1BETA2) <= 0
        ? AlgorithmNames.WEIGHTS_BEFORE_1_23
        : AlgorithmNames.DEFAULT_WEIGHTS;
  }
}
