//! The store of a resource with tenants, before the tenant is named.

mod store_without_whose {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    pub struct Ticket {
        pub id: i64,
        #[crud(tenant)]
        pub shop_id: i64,
        pub title: String,
    }

    async fn writes(service: &Service) -> crud_runtime::Result<()> {
        let tickets = service.store::<Ticket>();
        let ticket = tickets.create(NewTicket::new("Broken screen")).await?;
        tickets.update(ticket.id, TicketPatch::default().title("Done")).await?;
        tickets.list(Ticket::FIELDS.title.eq("Done")).await?;
        Ok(())
    }

    async fn tickets(service: &Service) -> crud_runtime::Result<crud_runtime::Page<Ticket>> {
        service.store::<Ticket>().page(Select::all()).await
    }

    fn title(ticket: TicketPatch) -> TicketPatch {
        ticket.shop_id(2)
    }
}
