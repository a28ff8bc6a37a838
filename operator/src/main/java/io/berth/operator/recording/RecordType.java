package io.berth.operator.recording;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A class of records, as it is in this version of Berth. Its definition is written before its first
 * value: the names and types of its components. So a later version, in which components were added
 * or removed, reads the values: a removed component is skipped, and an added one gets the value
 * that stands for nothing.
 */
final class RecordType {
  private final Class<?> type;
  private final List<Part> parts = new ArrayList<>();
  private final Constructor<?> constructor;

  /** A component of a record. */
  private record Part(String name, String typeName, Method accessor, ValueCodec codec) {}

  RecordType(Class<?> type, Codecs codecs) {
    this.type = type;
    RecordComponent[] components = type.getRecordComponents();
    Class<?>[] parameters = new Class<?>[components.length];
    for (int i = 0; i < components.length; i++) {
      RecordComponent component = components[i];
      parameters[i] = component.getType();
      component.getAccessor().setAccessible(true);
      boolean isNullable = component.getAnnotatedType().isAnnotationPresent(Nullable.class);
      ValueCodec codec = codecs.of(component.getGenericType());
      parts.add(
          new Part(
              component.getName(),
              (isNullable ? Codecs.NULLABLE : "") + component.getGenericType().getTypeName(),
              component.getAccessor(),
              isNullable ? Codecs.nullable(codec) : codec));
    }
    try {
      constructor = type.getDeclaredConstructor(parameters);
      constructor.setAccessible(true);
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException(type + " has no canonical constructor", e);
    }
  }

  Class<?> type() {
    return type;
  }

  /** Writes the components of a value. */
  void write(Object value, BinaryOutput out) throws IOException {
    for (Part part : parts) {
      try {
        part.codec.write(part.accessor.invoke(value), out);
      } catch (IllegalAccessException | InvocationTargetException e) {
        throw new IllegalStateException(type + " cannot be read", e);
      }
    }
  }

  /** Writes the definition. */
  void define(BinaryOutput out) throws IOException {
    out.text(type.getName());
    out.count(parts.size());
    for (Part part : parts) {
      out.text(part.name);
      out.text(part.typeName);
    }
  }

  /** Reads values of this class as another version of Berth has written them. */
  final class Reader {
    private final List<ValueCodec> written = new ArrayList<>();
    private final List<Integer> places = new ArrayList<>();

    /** Reads the definition, without the name of the class. */
    Reader(BinaryInput in, Codecs codecs) throws IOException {
      int size = in.size(Short.MAX_VALUE);
      for (int i = 0; i < size; i++) {
        String name = in.exactText();
        written.add(codecs.named(in.exactText()));
        places.add(placeOf(name));
      }
      for (int i = 0; i < parts.size(); i++) {
        if (!places.contains(i) && parts.get(i).codec.absent() == null) {
          throw new IOException(
              "it was recorded by a version of Berth without %s of %s"
                  .formatted(parts.get(i).name, type.getSimpleName()));
        }
      }
    }

    private int placeOf(String name) {
      for (int i = 0; i < parts.size(); i++) {
        if (parts.get(i).name.equals(name)) {
          return i;
        }
      }
      return -1;
    }

    Object read(BinaryInput in) throws IOException {
      @Nullable Object[] values = new @Nullable Object[parts.size()];
      for (int i = 0; i < values.length; i++) {
        values[i] = parts.get(i).codec.absent();
      }
      for (int i = 0; i < written.size(); i++) {
        Object value = written.get(i).read(in);
        if (places.get(i) >= 0) {
          values[places.get(i)] = value;
        }
      }
      return Codecs.present(make(values));
    }
  }

  private Object make(@Nullable Object[] values) throws IOException {
    for (int i = 0; i < values.length; i++) {
      if (values[i] == Codecs.NOTHING) {
        values[i] = null;
      }
    }
    try {
      return constructor.newInstance(values);
    } catch (InvocationTargetException | IllegalArgumentException e) {
      throw new IOException("a value of " + type.getSimpleName() + " is not valid: " + e, e);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(type + " cannot be made", e);
    }
  }
}
