package io.berth.webhook.argument;

import java.util.List;
import java.util.Optional;

/** Reads the annotations by which a pod gives arguments to configs. Stateless and thread-safe. */
public final class ArgumentParser {

  /**
   * Takes an annotation of arguments apart by config. With one config its arguments are the fields
   * of the annotation's JSON object; with several the object's fields are the configs' names.
   *
   * @param kind the kind of the configs, such as {@code NodeSchedulerConfig}, for messages
   * @param annotation the annotation's key, such as {@code scb.sched.cloud.ctrip.com/nsc-args}
   * @param text the annotation's value, empty where the pod has none
   * @param configs the configs that the pod names
   */
  public ParsedArguments parse(
      String kind, String annotation, Optional<String> text, List<String> configs) {
    if (text.isEmpty()) {
      return new ArgumentsByConfig(java.util.Map.of());
    }
    throw new UnsupportedOperationException("not yet");
  }
}
