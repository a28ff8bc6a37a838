package io.berth.operator.recording;

import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.model.PodSpec;
import io.berth.rules.label.LabelOperator;
import java.io.IOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * The codecs of all types that events consist of: records, enums, interfaces whose implementations
 * are records, and what {@link PlainCodecs} knows. Confined to one thread.
 */
final class Codecs {
  /** Precedes the type of a component that may be null. */
  static final String NULLABLE = "?";

  /** Stands for null. */
  static final Object NOTHING = new Object();

  /** The classes that earlier versions of Berth recorded by other names. */
  private static final Map<String, Class<?>> FORMER_NAMES =
      Map.of("io.berth.engine.model.Operator", LabelOperator.class);

  private static final String OF_BERTH = "io.berth.";

  private final Map<Type, ValueCodec> codecs = new HashMap<>();
  private final Map<Class<?>, RecordType> records = new HashMap<>();
  private final ValueCodec policies;

  /**
   * @param policies the codec of policies
   */
  Codecs(ValueCodec policies) {
    this.policies = policies;
  }

  /** Returns the codec of a type. */
  ValueCodec of(Type type) {
    ValueCodec plain = PlainCodecs.of(type);
    if (plain != null) {
      return plain;
    }
    ValueCodec known = codecs.get(type);
    if (known == null) {
      known = make(type);
      codecs.put(type, known);
    }
    return known;
  }

  private ValueCodec make(Type type) {
    if (type instanceof ParameterizedType parameterized) {
      List<ValueCodec> parts = new ArrayList<>();
      for (Type part : parameterized.getActualTypeArguments()) {
        parts.add(of(part));
      }
      return collection(parameterized.getRawType().getTypeName(), parts);
    }
    Class<?> raw = (Class<?>) type;
    if (raw == CompiledPolicy.class) {
      return policies;
    }
    if (raw.isEnum()) {
      return new EnumCodec(raw);
    }
    return raw == PodSpec.class ? new Remembered(new AnyRecord()) : new AnyRecord();
  }

  private static ValueCodec collection(String raw, List<ValueCodec> parts) {
    if (raw.equals(Optional.class.getName())) {
      return PlainCodecs.optional(parts.getFirst());
    }
    if (raw.equals(List.class.getName())) {
      return PlainCodecs.list(parts.getFirst());
    }
    if (raw.equals(Set.class.getName())) {
      return PlainCodecs.set(parts.getFirst());
    }
    if (raw.equals(Map.class.getName())) {
      return PlainCodecs.map(parts.getFirst(), parts.get(1));
    }
    if (raw.equals(SortedMap.class.getName())) {
      return PlainCodecs.sortedMap(parts.getFirst(), parts.get(1));
    }
    throw new IllegalArgumentException("values of " + raw + " cannot be recorded");
  }

  /**
   * Returns the codec of a type by its name in a definition.
   *
   * @throws IOException if this version of Berth does not know the type
   */
  ValueCodec named(String name) throws IOException {
    if (name.startsWith(NULLABLE)) {
      return nullable(named(name.substring(NULLABLE.length())));
    }
    int open = name.indexOf('<');
    if (open >= 0) {
      List<ValueCodec> parts = new ArrayList<>();
      for (String part : partsOf(name.substring(open + 1, name.length() - 1))) {
        parts.add(named(part));
      }
      return collection(name.substring(0, open), parts);
    }
    return of(classNamed(name));
  }

  /** Splits the arguments of a type at the commas that are in none of them. */
  private static List<String> partsOf(String arguments) {
    List<String> parts = new ArrayList<>();
    int depth = 0;
    int begin = 0;
    for (int i = 0; i < arguments.length(); i++) {
      switch (arguments.charAt(i)) {
        case '<' -> depth++;
        case '>' -> depth--;
        case ',' -> {
          if (depth == 0) {
            parts.add(arguments.substring(begin, i).strip());
            begin = i + 1;
          }
        }
        default -> {}
      }
    }
    parts.add(arguments.substring(begin).strip());
    return parts;
  }

  private static Class<?> classNamed(String name) throws IOException {
    switch (name) {
      case "boolean" -> {
        return boolean.class;
      }
      case "int" -> {
        return int.class;
      }
      case "long" -> {
        return long.class;
      }
      case "double" -> {
        return double.class;
      }
      default -> {}
    }
    // Only Berth's own classes, and those of Java that have codecs, are looked up.
    if (!name.startsWith(OF_BERTH) && !name.startsWith("java.")) {
      throw new IOException("it names the class " + name);
    }
    Class<?> now = FORMER_NAMES.get(name);
    if (now != null) {
      return now;
    }
    try {
      Class<?> found = Class.forName(name, false, Codecs.class.getClassLoader());
      boolean isKnown =
          PlainCodecs.of(found) != null
              || found.isRecord()
              || found.isEnum()
              || found.isInterface()
              || found == CompiledPolicy.class;
      if (isKnown) {
        return found;
      }
    } catch (ClassNotFoundException e) {
      throw new IOException("it was recorded by a version of Berth with the class " + name, e);
    }
    throw new IOException("it names the class " + name);
  }

  /** Returns the codec of values that may be null. */
  static ValueCodec nullable(ValueCodec codec) {
    return new ValueCodec() {
      @Override
      public void write(@Nullable Object value, BinaryOutput out) throws IOException {
        out.bit(value != null);
        if (value != null) {
          codec.write(value, out);
        }
      }

      @Override
      public Object read(BinaryInput in) throws IOException {
        return in.bit() ? codec.read(in) : NOTHING;
      }

      @Override
      public Object absent() {
        return NOTHING;
      }
    };
  }

  /** Returns a value that is not null. */
  static Object present(@Nullable Object value) {
    if (value == null) {
      throw new IllegalStateException("a value is missing");
    }
    return value;
  }

  private RecordType recordType(Class<?> type) {
    RecordType known = records.get(type);
    if (known == null) {
      known = new RecordType(type, this);
      records.put(type, known);
    }
    return known;
  }

  /** Values of one class of records, or of any that implement an interface. */
  private final class AnyRecord implements ValueCodec {
    @Override
    public void write(Object value, BinaryOutput out) throws IOException {
      if (value instanceof Enum<?> constant) { // that implements the interface
        out.type(
            constant.getDeclaringClass(), () -> out.text(constant.getDeclaringClass().getName()));
        out.text(constant.name());
        return;
      }
      RecordType type = recordType(value.getClass());
      out.type(type.type(), () -> type.define(out));
      type.write(value, out);
    }

    @Override
    public Object read(BinaryInput in) throws IOException {
      Object type = in.type(() -> definition(in));
      return type instanceof RecordType.Reader reader
          ? reader.read(in)
          : ((EnumCodec) type).read(in);
    }

    private Object definition(BinaryInput in) throws IOException {
      Class<?> type = classNamed(in.exactText());
      return type.isEnum() ? new EnumCodec(type) : recordType(type).new Reader(in, Codecs.this);
    }
  }

  /** The constants of an enum, by name. */
  private record EnumCodec(Class<?> type) implements ValueCodec {
    @Override
    public void write(Object value, BinaryOutput out) throws IOException {
      out.text(((Enum<?>) value).name());
    }

    @Override
    public Object read(BinaryInput in) throws IOException {
      String name = in.exactText();
      for (Object constant : type.getEnumConstants()) {
        if (((Enum<?>) constant).name().equals(name)) {
          return constant;
        }
      }
      throw new IOException(
          "it was recorded by a version of Berth with %s.%s".formatted(type.getSimpleName(), name));
    }
  }

  /** Large values that repeat: an equal one that was written shortly before is referred to. */
  private record Remembered(ValueCodec content) implements ValueCodec {
    @Override
    public void write(Object value, BinaryOutput out) throws IOException {
      out.object(value, () -> content.write(value, out));
    }

    @Override
    public Object read(BinaryInput in) throws IOException {
      return in.object(() -> content.read(in));
    }
  }
}
