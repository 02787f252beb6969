"""A small corpus that the pipeline tests share."""

from workbench import Document

LEASE = Document(
    "lease.md",
    "# Lease\n\n## Ending the lease\n\nEither party may end this lease by giving **ninety days** written notice. "
    "The notice must be sent by registered mail.\n\n## Deposit\n\nThe deposit is 1,200 crowns. "
    "It is returned within thirty days of the end of the lease.\n",
    title="Lease",
)
PETS = Document(
    "pets.md",
    "# Pets\n\n## Cats and dogs\n\nTenants may keep one cat. Dogs require the written consent of the landlord.\n",
    title="Pets",
)
HEATING = Document(
    "heating.md",
    "# Heating\n\n## Failed heating\n\nThe landlord answers a report of failed heating within twenty four hours. "
    "Call the Night Desk on the number in the hallway.\n\n## Radiators\n\nRadiators are bled by the caretaker each October.\n",
    title="Heating",
)
PARKING = Document(
    "parking.md",
    "# Parking\n\nEach flat has one parking place. Visitors park at the harbour for up to four hours.\n",
    title="Parking",
)
DOCUMENTS = (LEASE, PETS, HEATING, PARKING)
