//! Members of structures, classes, unions and variants (DWARF 5, sections 5.7 and 5.10), and parameters of templates.

use super::DebugWriter;
use super::attributes::flag;
use super::output::{EntryId, Expression, Value};
use frazil_ir::debug::kind::{CompositeType, DerivedType, Integer, Symbol, TemplateType, TemplateValue};
use frazil_ir::debug::{Kind, NodeRef};
use frazil_ir::{EntityRef, SymbolId};
use gimli::constants as dw;

impl DebugWriter<'_> {
    /// Adds the members of a type.
    pub(super) fn add_members(&mut self, unit: usize, entry: EntryId, elements: &[NodeRef]) {
        for &element in elements {
            match self.graph.at::<DerivedType>(element) {
                Some(data) if super::entries::is_member(data.tag) && data.flags & flag::STATIC_MEMBER == 0 => {
                    self.add_member(unit, entry, &data);
                }
                // These are put into the type when they are filled in.
                _ => {
                    self.entry(unit, element);
                }
            }
        }
    }

    fn add_member(&mut self, unit: usize, parent: EntryId, data: &DerivedType) -> EntryId {
        let tag = dw::DwTag(data.tag as u16);
        let entry = self.unit(unit).add(parent, tag);
        if tag == dw::DW_TAG_friend {
            if let Some(friend) = self.entry(unit, data.base) {
                self.set(unit, entry, dw::DW_AT_friend, Value::Entry(friend));
            }
            return entry;
        }
        self.set_name(unit, entry, data.name);
        self.set_type(unit, entry, data.base);
        self.set_source(unit, entry, data.file, data.line);
        self.set_common_flags(unit, entry, data.flags);
        self.set_alignment(unit, entry, data.align);
        if tag == dw::DW_TAG_inheritance && data.flags & flag::VIRTUAL != 0 {
            let virtuality = Value::Byte(dw::DW_VIRTUALITY_virtual.0);
            self.set(unit, entry, dw::DW_AT_virtuality, virtuality);
            let place = Value::Expression(virtual_base(data.offset));
            self.set(unit, entry, dw::DW_AT_data_member_location, place);
        } else if data.flags & flag::BIT_FIELD != 0 {
            self.set(unit, entry, dw::DW_AT_bit_size, Value::Unsigned(data.size));
            let offset = Value::Unsigned(data.offset);
            self.set(unit, entry, dw::DW_AT_data_bit_offset, offset);
        } else {
            let offset = Value::Unsigned(data.offset / 8);
            self.set(unit, entry, dw::DW_AT_data_member_location, offset);
        }
        entry
    }

    /// The declaration of a variable that belongs to a class.
    pub(super) fn fill_static_member(&mut self, unit: usize, entry: EntryId, data: &DerivedType) {
        let version = self.unit(unit).encoding.version;
        let tag = if version >= 5 {
            dw::DW_TAG_variable
        } else {
            dw::DW_TAG_member
        };
        self.place(unit, entry, data.scope, tag);
        self.set_name(unit, entry, data.name);
        self.set_type(unit, entry, data.base);
        self.set_source(unit, entry, data.file, data.line);
        self.set_common_flags(unit, entry, data.flags);
        self.set_flag(unit, entry, dw::DW_AT_external, true);
        self.set_flag(unit, entry, dw::DW_AT_declaration, true);
        if let Some(value) = self.graph.at::<Integer>(data.extra) {
            let value = Value::Signed(value.low.cast_signed());
            self.set(unit, entry, dw::DW_AT_const_value, value);
        }
    }

    /// Variants: each member is there for one value of the discriminator, or for all that no other has.
    pub(super) fn fill_variants(&mut self, unit: usize, entry: EntryId, data: &CompositeType) {
        if let Some(discriminator) = self.graph.at::<DerivedType>(data.discriminator) {
            let member = self.add_member(unit, entry, &discriminator);
            self.set(unit, entry, dw::DW_AT_discr, Value::Entry(member));
        }
        let elements: Vec<NodeRef> = self.graph.list(data.elements).collect();
        for element in elements {
            let Some(member) = self.graph.at::<DerivedType>(element) else {
                continue;
            };
            let variant = self.unit(unit).add(entry, dw::DW_TAG_variant);
            if let Some(value) = self.graph.at::<Integer>(member.extra) {
                let value = Value::Unsigned(value.low);
                self.set(unit, variant, dw::DW_AT_discr_value, value);
            }
            if super::entries::is_member(member.tag) {
                self.add_member(unit, variant, &member);
            }
        }
    }

    pub(super) fn add_template_parameters(&mut self, unit: usize, entry: EntryId, list: NodeRef) {
        let parameters: Vec<NodeRef> = self.graph.list(list).collect();
        for parameter in parameters {
            if let Some(data) = self.graph.at::<TemplateType>(parameter) {
                let child = self.unit(unit).add(entry, dw::DW_TAG_template_type_parameter);
                self.set_name(unit, child, data.name);
                self.set_type(unit, child, data.ty);
                self.set_flag(unit, child, dw::DW_AT_default_value, data.is_default != 0);
            } else if let Some(data) = self.graph.at::<TemplateValue>(parameter) {
                self.add_template_value(unit, entry, &data);
            }
        }
    }

    fn add_template_value(&mut self, unit: usize, entry: EntryId, data: &TemplateValue) {
        let tag = match u16::try_from(data.tag).map(dw::DwTag) {
            Ok(tag @ (dw::DW_TAG_GNU_template_template_param | dw::DW_TAG_GNU_template_parameter_pack)) => tag,
            _ => dw::DW_TAG_template_value_parameter,
        };
        let child = self.unit(unit).add(entry, tag);
        self.set_name(unit, child, data.name);
        if tag == dw::DW_TAG_template_value_parameter {
            self.set_type(unit, child, data.ty);
        }
        self.set_flag(unit, child, dw::DW_AT_default_value, data.is_default != 0);
        match self.graph.kind_at(data.value) {
            Some(Kind::Integer) => {
                let value: Integer = self.graph.at(data.value).unwrap_or_default();
                let value = Value::Signed(value.low.cast_signed());
                self.set(unit, child, dw::DW_AT_const_value, value);
            }
            Some(Kind::Symbol) => {
                let symbol: Symbol = self.graph.at(data.value).unwrap_or_default();
                let mut expression = Expression::new();
                expression.op_addr(DebugWriter::address(SymbolId::new(symbol.symbol as usize), 0));
                expression.op(dw::DW_OP_stack_value);
                self.set(unit, child, dw::DW_AT_location, Value::Expression(expression));
            }
            Some(Kind::Text) => self.set_text(unit, child, dw::DW_AT_GNU_template_name, data.value),
            Some(Kind::List) => self.add_template_parameters_of_pack(unit, child, data.value),
            _ => {}
        }
    }

    /// The parameters that a pack stands for, which cannot be packs again.
    fn add_template_parameters_of_pack(&mut self, unit: usize, entry: EntryId, list: NodeRef) {
        let parameters: Vec<NodeRef> = self.graph.list(list).collect();
        for parameter in parameters {
            if let Some(data) = self.graph.at::<TemplateType>(parameter) {
                let child = self.unit(unit).add(entry, dw::DW_TAG_template_type_parameter);
                self.set_name(unit, child, data.name);
                self.set_type(unit, child, data.ty);
            } else if let Some(data) = self.graph.at::<TemplateValue>(parameter)
                && self.graph.kind_at(data.value) != Some(Kind::List)
            {
                self.add_template_value(unit, entry, &data);
            }
        }
    }
}

/// The place of a virtual base: its distance stands in the table that the object points to, so many bytes before.
fn virtual_base(offset: u64) -> Expression {
    let mut expression = Expression::new();
    expression.op(dw::DW_OP_dup);
    expression.op_deref();
    expression.op_constu(offset);
    expression.op(dw::DW_OP_minus);
    expression.op_deref();
    expression.op(dw::DW_OP_plus);
    expression
}
