package io.berth.webhook.template;

import io.berth.crds.ParameterType;

/**
 * The source of the values in an evaluation, which are a String, Long, Boolean, List of String,
 * Undetermined, or {@link Missing}.
 */
interface Scope {

  /** Returns the argument of a parameter. */
  Object argument(String name);

  /** Returns the type of a parameter's argument. */
  ParameterType typeOf(String name);

  /** Returns a property of the pod with a fixed name. */
  Object pod(Expression.PodField.Field field);

  /** Returns a label of the pod, or an annotation if {@code label} is false. */
  Object podEntry(boolean label, String key);
}
