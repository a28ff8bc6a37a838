package io.berth.webhook.template;

import io.berth.crds.ParameterType;

/**
 * The source of an evaluation's values: String, Long, Boolean, List of String, Undetermined, or
 * {@link Missing}.
 */
interface Scope {

  /** The argument of a parameter. */
  Object argument(String name);

  /** Returns the type of a parameter's argument. */
  ParameterType typeOf(String name);

  /** A fact of the pod that has a name of its own. */
  Object pod(Expression.PodField.Field field);

  /** A label of the pod, or else an annotation. */
  Object podEntry(boolean label, String key);
}
