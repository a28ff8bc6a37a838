package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.admission.PodDefaults;
import io.berth.sandbox.failure.FieldError;
import java.util.ArrayList;
import java.util.List;

/**
 * The rules of Jobs: defaults and validation, including the selector that the API server generates
 * from the Job's UID.
 */
final class JobRules implements KindRules {
  private static final int BACKOFF = 6;
  private static final String UID_LABEL = "batch.kubernetes.io/controller-uid";

  private final PodDefaults podDefaults;

  JobRules(PodDefaults podDefaults) {
    this.podDefaults = podDefaults;
  }

  @Override
  public boolean countsGenerations() {
    return true;
  }

  @Override
  public boolean orphansByDefault() {
    return true;
  }

  @Override
  public void applyDefaults(ObjectNode job) {
    ObjectNode spec = job.withObjectProperty("spec");
    if (spec.path("template") instanceof ObjectNode template) {
      podDefaults.applyToTemplate(template);
    }
    if (!spec.has("completions") && !spec.has("parallelism")) {
      spec.put("completions", 1);
    }
    Defaults.number(spec, "parallelism", 1);
    Defaults.number(spec, "backoffLimit", BACKOFF);
    Defaults.text(spec, "completionMode", "NonIndexed");
    Defaults.flag(spec, "suspend", false);
    Defaults.flag(spec, "manualSelector", false);
    Defaults.text(spec, "podReplacementPolicy", "TerminatingOrFailed");
    String name = job.path("metadata").path("name").asText();
    if (!spec.path("manualSelector").asBoolean() && !spec.has("selector") && !name.isEmpty()) {
      String uid = job.path("metadata").path("uid").asText();
      ObjectNode labels =
          spec.withObjectProperty("template")
              .withObjectProperty("metadata")
              .withObjectProperty("labels");
      labels.put("controller-uid", uid).put(UID_LABEL, uid);
      labels.put("job-name", name).put("batch.kubernetes.io/job-name", name);
      spec.putObject("selector").putObject("matchLabels").put(UID_LABEL, uid);
    }
    ObjectNode metadata = job.withObjectProperty("metadata");
    JsonNode labels = spec.path("template").path("metadata").path("labels");
    if (metadata.path("labels").isEmpty() && !labels.isEmpty()) {
      metadata.set("labels", labels.deepCopy());
    }
  }

  @Override
  public List<FieldError> validateCreate(ObjectNode job) {
    List<FieldError> errors = new ArrayList<>();
    JsonNode spec = job.path("spec");
    PodSpecRules.validate(spec.path("template").path("spec"), "spec.template.spec", errors);
    String restart = spec.path("template").path("spec").path("restartPolicy").asText();
    if (!restart.equals("Never") && !restart.equals("OnFailure")) {
      errors.add(
          new FieldError(
              "spec.template.spec.restartPolicy",
              "FieldValueRequired",
              "Required value: valid values: \"OnFailure\", \"Never\""));
    }
    return errors;
  }

  @Override
  public List<FieldError> validateUpdate(ObjectNode job, ObjectNode old) {
    List<FieldError> errors = new ArrayList<>(validateCreate(job));
    completions(job.path("spec"), old.path("spec"), errors);
    for (String field : List.of("selector", "template", "completionMode")) {
      boolean suspended = field.equals("template") && old.path("spec").path("suspend").asBoolean();
      if (!suspended && !job.path("spec").path(field).equals(old.path("spec").path(field))) {
        errors.add(
            FieldError.invalid(
                "spec." + field, job.path("spec").path(field), "field is immutable"));
      }
    }
    return errors;
  }

  /** An Indexed Job is elastic: its completions may change together with its parallelism. */
  private static void completions(JsonNode spec, JsonNode old, List<FieldError> errors) {
    JsonNode completions = spec.path("completions");
    if (completions.equals(old.path("completions"))) {
      return;
    }
    if (!spec.path("completionMode").asText().equals("Indexed")) {
      errors.add(FieldError.invalid("spec.completions", completions, "field is immutable"));
    } else if (!completions.equals(spec.path("parallelism"))) {
      errors.add(
          FieldError.invalid(
              "spec.completions",
              completions,
              "can only be modified in tandem with spec.parallelism"));
    }
  }
}
