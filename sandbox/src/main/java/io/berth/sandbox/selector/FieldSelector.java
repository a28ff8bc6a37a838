package io.berth.sandbox.selector;

import io.berth.sandbox.failure.Failures;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.Storage;
import io.berth.sandbox.store.StoredObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The {@code fieldSelector} parameter, for example {@code spec.nodeName=a,status.phase!=Failed}.
 */
public final class FieldSelector {
  /** Selects everything. */
  public static final FieldSelector EVERYTHING = new FieldSelector(List.of());

  private final List<Term> terms;

  private FieldSelector(List<Term> terms) {
    this.terms = terms;
  }

  private record Term(int position, String field, boolean equal, String value) {}

  /**
   * Parses the parameter for a resource type.
   *
   * @throws io.berth.sandbox.failure.ApiException 400 if it cannot be parsed or if the resource
   *     does not support selecting by one of its fields
   */
  public static FieldSelector parse(ResourceType type, String text) {
    if (text.isBlank()) {
      return EVERYTHING;
    }
    List<Term> terms = new ArrayList<>();
    for (String part : split(text)) {
      if (!part.isBlank()) {
        terms.add(term(type, text, part));
      }
    }
    return new FieldSelector(List.copyOf(terms));
  }

  private static List<String> split(String text) {
    List<String> parts = new ArrayList<>();
    StringBuilder part = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\\' && i + 1 < text.length()) {
        part.append(c).append(text.charAt(++i));
      } else if (c == ',') {
        parts.add(part.toString());
        part.setLength(0);
      } else {
        part.append(c);
      }
    }
    parts.add(part.toString());
    return parts;
  }

  private static Term term(ResourceType type, String whole, String part) {
    for (String sign : List.of("!=", "==", "=")) {
      int at = part.indexOf(sign);
      if (at > 0) {
        String field = part.substring(0, at);
        Storage storage = type.storage();
        int position = storage.fieldPosition(field);
        if (position < 0) {
          throw Failures.badRequest("field label not supported: " + field);
        }
        String value = part.substring(at + sign.length()).replaceAll("\\\\(.)", "$1");
        return new Term(position, field, !sign.equals("!="), value);
      }
    }
    throw Failures.badRequest("invalid selector: '" + whole + "'; can't understand '" + part + "'");
  }

  /** Returns whether an object satisfies every term. */
  public boolean matches(StoredObject object) {
    for (Term term : terms) {
      if (object.field(term.position()).equals(term.value()) != term.equal()) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether the selector is empty and selects everything. */
  public boolean isEmpty() {
    return terms.isEmpty();
  }

  /** Returns the value that a field is required to equal; empty if there is no such term. */
  public Optional<String> requires(String field) {
    return terms.stream()
        .filter(term -> term.equal() && term.field().equals(field))
        .map(Term::value)
        .findFirst();
  }

  /** Returns the first indexed field with an equality term; empty if there is none. */
  public Optional<String> indexedField(Storage storage) {
    return terms.stream()
        .filter(term -> term.equal() && storage.fields().get(term.position()).indexed())
        .map(Term::field)
        .findFirst();
  }
}
