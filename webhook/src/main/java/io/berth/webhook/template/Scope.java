package io.berth.webhook.template;

import io.berth.crds.ParameterType;

/**
 * Where an evaluation finds values: String, Long, Boolean, List of String, Undetermined, or {@link
 * Missing}.
 */
interface Scope {

  /** The argument of a parameter. */
  Object argument(String name);

  /** What the argument of a parameter is, or would be. */
  ParameterType typeOf(String name);

  /** A fact of the pod that has a name of its own. */
  Object pod(Expression.PodField.Field field);

  /** A label of the pod, or else an annotation. */
  Object podEntry(boolean label, String key);
}
